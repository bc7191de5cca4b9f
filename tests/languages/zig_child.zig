// Threads and a child.
const std = @import("std");

fn work(n: *std.atomic.Value(u32)) void {
    for (0..1000) |_| _ = n.fetchAdd(1, .seq_cst);
}

pub fn main(init: std.process.Init) !void {
    var n = std.atomic.Value(u32).init(0);
    var threads: [4]std.Thread = undefined;
    for (&threads) |*t| t.* = try std.Thread.spawn(.{}, work, .{&n});
    for (threads) |t| t.join();
    var out = std.Io.File.stdout().writerStreaming(init.io, &.{});
    try out.interface.print("threads {d}\n", .{n.load(.seq_cst)});
    try init.io.sleep(.fromMilliseconds(10), .awake);
    const words = [_][]const u8{ "/bin/busybox", "echo", "a child of zig" };
    var child = try std.process.spawn(init.io, .{ .argv = &words });
    try out.interface.print("ended {any}\n", .{try child.wait(init.io)});
}
