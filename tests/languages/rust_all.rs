// Threads, sockets, a child and a panic that is caught.
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::{fs, thread};

const PATH: &str = "rust_all.sock";

fn main() {
    let (to, from) = mpsc::channel();
    for i in 0..4 {
        let to = to.clone();
        thread::spawn(move || to.send(i * i).unwrap());
    }
    drop(to);
    println!("threads {}", from.iter().sum::<i32>());
    let _ = fs::remove_file(PATH);
    let listener = UnixListener::bind(PATH).unwrap();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut bytes = [0; 5];
        stream.read_exact(&mut bytes).unwrap();
        stream.write_all(&bytes).unwrap();
    });
    let mut stream = UnixStream::connect(PATH).unwrap();
    stream.set_nonblocking(true).unwrap();
    println!("nothing yet {:?}", stream.read(&mut [0; 1]).unwrap_err().kind());
    stream.set_nonblocking(false).unwrap();
    stream.write_all(b"hello").unwrap();
    let mut bytes = [0; 5];
    stream.read_exact(&mut bytes).unwrap();
    server.join().unwrap();
    println!("unix {}", String::from_utf8_lossy(&bytes));
    let both = Command::new("/bin/busybox").args(["sh", "-c", "echo out; echo err >&2; exit 5"]).output().unwrap();
    println!("{:?} {:?} {:?}", both.status.code(), both.stdout, both.stderr);
    let mut cat = Command::new("/bin/busybox").arg("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    cat.stdin.take().unwrap().write_all(b"through cat").unwrap();
    println!("{:?}", String::from_utf8(cat.wait_with_output().unwrap().stdout));
    std::panic::set_hook(Box::new(|_| {}));
    println!("caught {}", std::panic::catch_unwind(|| panic!("x")).is_err());
}
