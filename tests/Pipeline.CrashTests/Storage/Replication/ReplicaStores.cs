using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.CrashTests.Storage.Replication;

/// <summary>Opens replicas on simulated disks and compares them.</summary>
internal static class ReplicaStores
{
    public static StorageOptions Options(
        SimulatedDisk disk,
        StorageFaults faults = StorageFaults.None,
        StorageEncryption? encryption = null
    ) =>
        SimulatedStore.Options(disk) with
        {
            IsReplica = true,
            Encryption = encryption,
            Faults = faults,
            AppendWindow = 3,
            PagesPerChunk = 4,
        };

    public static StorageEnvironment Open(SimulatedDisk disk, StorageFaults faults = StorageFaults.None) =>
        StorageEnvironment.Open(Options(disk, faults));

    public static string? Difference(StorageEnvironment left, StorageEnvironment right)
    {
        using var ours = left.BeginRead();
        using var theirs = right.BeginRead();
        return StoreEquality.FindDifference(ours, theirs) is { } difference
            ? $"page {difference.Page}: {difference.Reason}"
            : null;
    }

    public static string Digest(StorageEnvironment environment)
    {
        using var read = environment.BeginRead();
        return Convert.ToHexString(StoreEquality.Digest(read));
    }

    public static void Put(WriteTransaction transaction, string key, string value) =>
        transaction
            .CreateTree("t")
            .Put(System.Text.Encoding.UTF8.GetBytes(key), System.Text.Encoding.UTF8.GetBytes(value));

    public static string? Get(StorageEnvironment environment, string key)
    {
        using var read = environment.BeginRead();
        return
            read.TryOpenTree("t", out var tree) && tree.TryGet(System.Text.Encoding.UTF8.GetBytes(key), out var value)
            ? System.Text.Encoding.UTF8.GetString(value)
            : null;
    }

    public static void AssertSound(StorageEnvironment environment)
    {
        var report = StorageChecker.Check(environment);
        Assert.True(report.IsSound, string.Join("; ", report.Problems.Take(5)));
    }
}
