using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Configuration;
using Pipeline.Hosting.Cluster;
using Pipeline.Storage;
using Pipeline.WorkerKit.Cluster;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>A node whose disk has no room for a copy reports that, and keeps its files.</summary>
public sealed class RefillRoomTests
{
    [Fact]
    public async Task A_node_without_room_for_the_copy_keeps_its_files_and_says_what_it_needs()
    {
        await using var cluster = await WorkerCluster.StartAsync(3, log: ", trim: { every: 50ms, keepRecords: 20 }");
        var written = await cluster.WriteUntilTrimmedAsync();
        var away = (await cluster.FollowerAsync()).Cluster!.Self.Name;
        await cluster.StopAsync(away);
        var leader = await cluster.LeaderAsync(exceptFor: away);
        using (await cluster.Http.DeleteAsync(WorkerCluster.Url(leader, "/cluster/nodes?name=" + away)))
        {
            var end = (await cluster.LogBoundsAsync()).End;
            while (await cluster.LogFirstAsync() <= end)
                written = await cluster.WriteUntilTrimmedAsync(written);
        }
        var before = FilesOf(cluster.FolderOf(away));

        var store = new StorageOptions { Path = cluster.FolderOf(away), Files = new FullDisk(-1_000_000_000) };
        await using var refill = await NodeRefill.FindAsync(
            PipelineConfiguration.Load(cluster.Folder[away + ".yaml"], new EnvironmentVariables()),
            store,
            TimeProvider.System,
            NullLoggerFactory.Instance,
            CancellationToken.None
        );
        Assert.NotNull(refill);
        using var stop = new CancellationTokenSource();
        var running = refill.RunAsync(stop.Token);
        // A first try may come before the log names an address again.
        await cluster.UntilAsync(
            () =>
                refill.Progress.Problem is { } problem
                && problem.Contains($"'{away}' has no room to be filled", StringComparison.Ordinal)
                && problem.Contains("bytes. The disk of", StringComparison.Ordinal),
            "no try has failed for want of room"
        );
        Assert.Equal(before, FilesOf(cluster.FolderOf(away)));
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running);

        // With room it is filled.
        await cluster.StartAsync(away);
        await cluster.LeaderAsync();
        await cluster.VerifyAsync();
    }

    [Fact]
    public void A_folder_is_set_aside_only_where_the_disk_has_room_for_two()
    {
        CopyRoom.EnsureRoomAlongside(new FullDisk(1000), "/data", "n1", 1000);
        var refused = Assert.Throws<ClusterException>(() =>
            CopyRoom.EnsureRoomAlongside(new FullDisk(1000), "/data", "n1", 1001)
        );
        Assert.Contains("needs about 1,001 bytes on the disk of /data", refused.Message, StringComparison.Ordinal);
        Assert.Contains("has 1,000 free", refused.Message, StringComparison.Ordinal);
    }

    private static List<(string, long)> FilesOf(string folder) =>
        [
            .. new DirectoryInfo(folder)
                .EnumerateFiles("*", SearchOption.AllDirectories)
                .Select(f => (f.FullName, f.Length))
                .Order(),
        ];

    /// <summary>Real files on a disk with a given number of free bytes.</summary>
    private sealed class FullDisk(long free) : IStorageFiles
    {
        private static readonly NativeStorageFiles Real = NativeStorageFiles.Instance;

        public long? FindFreeBytes(string directory) => free;

        public void CreateDirectory(string path) => Real.CreateDirectory(path);

        public bool DirectoryExists(string path) => Real.DirectoryExists(path);

        public bool Exists(string path) => Real.Exists(path);

        public IReadOnlyList<string> List(string directory, string suffix) => Real.List(directory, suffix);

        public IStorageFile Open(string path, bool create) => Real.Open(path, create);

        public void Move(string source, string target) => Real.Move(source, target);

        public void Delete(string path) => Real.Delete(path);

        public void SyncDirectory(string path) => Real.SyncDirectory(path);

        public IDisposable Lock(string path, string holder) => Real.Lock(path, holder);
    }
}
