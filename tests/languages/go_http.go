// net/http over a Unix socket: a server and its client.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

const path = "go_http.sock" // in its current folder

func main() {
	os.Remove(path)
	listener, err := net.Listen("unix", path)
	fmt.Println("listen", err)
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "path %s", r.URL.Path)
	}))
	dial := func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", path) }
	client := http.Client{Transport: &http.Transport{DialContext: dial}}
	for i := 0; i < 20; i++ {
		answer, _ := client.Get(fmt.Sprintf("http://x/%d", i))
		text, _ := io.ReadAll(answer.Body)
		fmt.Println(answer.Status, string(text))
		answer.Body.Close()
	}
}
