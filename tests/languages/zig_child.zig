// Threads and a child.
const std = @import("std");

fn work(n: *std.atomic.Value(u32)) void {
    for (0..1000) |_| _ = n.fetchAdd(1, .seq_cst);
}

pub fn main() !void {
    var n = std.atomic.Value(u32).init(0);
    var threads: [4]std.Thread = undefined;
    for (&threads) |*t| t.* = try std.Thread.spawn(.{}, work, .{&n});
    for (threads) |t| t.join();
    const out = std.io.getStdOut().writer();
    try out.print("threads {d}\n", .{n.load(.seq_cst)});
    std.time.sleep(10_000_000);
    var memory = std.heap.GeneralPurposeAllocator(.{}){};
    const allocator = memory.allocator();
    var child = std.process.Child.init(&.{ "/bin/busybox", "echo", "a child of zig" }, allocator);
    const end = try child.spawnAndWait();
    try out.print("ended {any}, leaks {}\n", .{ end, memory.deinit() == .leak });
}
