// A child's output, through a pipe that Go's runtime waits for by epoll.
package main

import (
	"fmt"
	"os/exec"
)

func main() {
	out, err := exec.Command("/bin/busybox", "echo", "from the child").CombinedOutput()
	fmt.Printf("child said %s%v\n", out, err)
	err = exec.Command("/bin/busybox", "sh", "-c", "exit 3").Run()
	fmt.Println("child ended:", err)
}
