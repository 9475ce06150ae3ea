using System.Globalization;
using System.Text;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Storage.Tests.Transactions;

/// <summary>A long reader costs memory, but neither correctness nor journal: the checkpoint goes past it.</summary>
public sealed class FlushPastReadersTests
{
    private const string CannotFreeze = "Only Linux with system pages of at most 8 KiB flushes past readers.";

    private static bool CanFreeze => OperatingSystem.IsLinux() && Environment.SystemPageSize <= PageLayout.PageSize;

    private static readonly StorageEncryption Key = new() { Key = new byte[32], MaxPlainBytes = 64 << 10 };

    [SkippableTheory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public async Task Snapshots_that_come_and_go_between_flushes_stay_what_they_were(bool simulated, bool encrypted)
    {
        Skip.IfNot(simulated || CanFreeze, CannotFreeze);
        for (var seed = 1; seed <= 3; seed++)
        {
            using var folder = new TestFolder();
            using var disk = new SimulatedDisk();
            var options = new StorageOptions
            {
                Path = simulated ? "/store" : folder.Path,
                Files = simulated ? disk : null,
                Encryption = encrypted ? Key : null,
                MaxDataFileBytes = 64 << 20,
                MappedBytes = 64 << 10,
                InitialDataFileBytes = 64 << 10,
            };
            var random = new Random(seed);
            var model = new SortedDictionary<string, byte[]>(StringComparer.Ordinal);
            using (var environment = StorageEnvironment.Open(options))
            {
                var readers = new List<(ReadTransaction Read, SortedDictionary<string, byte[]> Model)>();
                for (var step = 0; step < 250; step++)
                {
                    var dice = random.Next(100);
                    if (dice < 15)
                    {
                        var before = environment.GetStatistics();
                        environment.Flush();
                        Assert.Equal(
                            before.LastCommittedTransaction,
                            environment.GetStatistics().CheckpointTransaction
                        );
                        Assert.Equal(0, environment.GetStatistics().UnflushedJournalBytes);
                    }
                    else if (dice < 25 && readers.Count < 6 && model.Count > 0)
                    {
                        var read = environment.BeginRead();
                        readers.Add((read, new(model, StringComparer.Ordinal)));
                        if (random.Next(2) == 0)
                            Compare(readers[^1].Read, readers[^1].Model);
                    }
                    else if (dice < 33 && readers.Count > 0)
                    {
                        var index = random.Next(readers.Count);
                        Compare(readers[index].Read, readers[index].Model);
                        readers[index].Read.Dispose();
                        readers.RemoveAt(index);
                    }
                    else
                    {
                        await WriteAsync(environment, model, random);
                    }
                    foreach (var (read, then) in readers)
                    {
                        if (random.Next(4) == 0)
                            Compare(read, then);
                    }
                }
                foreach (var (read, then) in readers)
                {
                    Compare(read, then);
                    read.Dispose();
                }
                using (var now = environment.BeginRead())
                    Compare(now, model);
                environment.Flush();
                Assert.Equal(0, environment.GetStatistics().ScratchBytes);
                var report = StorageChecker.Check(environment);
                Assert.True(report.IsSound, string.Join("; ", report.Problems));
            }
            using var again = StorageEnvironment.Open(options);
            using var reopened = again.BeginRead();
            Compare(reopened, model);
        }
    }

    [SkippableTheory]
    [InlineData(16L << 30)]
    [InlineData(64 << 10)]
    public void What_a_reader_was_given_stays_under_its_pointer(long mapped)
    {
        Skip.IfNot(CanFreeze, CannotFreeze);
        using var folder = new TestFolder();
        using var environment = StorageEnvironment.Open(
            new StorageOptions
            {
                Path = folder.Path,
                MappedBytes = mapped,
                InitialDataFileBytes = 64 << 10,
            }
        );
        Put(environment, 1);
        environment.Flush();
        using (var read = environment.BeginRead())
        {
            Assert.True(read.OpenTree("t").TryGet("a"u8, out var value));
            for (byte i = 2; i < 6; i++)
            {
                Put(environment, i);
                environment.Flush();
                Assert.Equal(environment.LastCommittedTransaction, environment.GetStatistics().CheckpointTransaction);
                Assert.False(value.ContainsAnyExcept((byte)1));
            }
            using var young = environment.BeginRead();
            Assert.True(young.OpenTree("t").TryGet("a"u8, out var last));
            Assert.False(last.ContainsAnyExcept((byte)5));
            Assert.True(environment.GetStatistics().ScratchBytes > 50_000);
        }
        environment.Flush();
        Assert.Equal(0, environment.GetStatistics().ScratchBytes);

        static void Put(StorageEnvironment environment, byte content) =>
            environment
                .WriteAsync(t => t.CreateTree("t").Put("a"u8, Enumerable.Repeat(content, 50_000).ToArray()))
                .GetAwaiter()
                .GetResult();
    }

    [SkippableFact]
    public async Task A_load_of_new_pages_past_a_reader_keeps_next_to_nothing()
    {
        Skip.IfNot(CanFreeze, CannotFreeze);
        using var folder = new TestFolder();
        using var environment = StorageEnvironment.Open(new StorageOptions { Path = folder.Path });
        await environment.WriteAsync(t => t.CreateTree("t").Put("a"u8, "1"u8));
        using var read = environment.BeginRead();
        for (var i = 0; i < 200; i++)
        {
            await environment.WriteAsync(t => t.OpenTree("t").Put(BitConverter.GetBytes(i), new byte[20_000]));
            if (i % 20 == 19)
                environment.Flush();
        }
        Assert.InRange(Assert.Single(environment.GetReaders()).HeldBytes, 1, 200_000);
        Assert.True(read.OpenTree("t").TryGet("a"u8, out var value));
        Assert.True(value.SequenceEqual("1"u8));
    }

    private static void Compare(ReadTransaction read, SortedDictionary<string, byte[]> model)
    {
        if (!read.TryOpenTree("t", out var tree))
        {
            Assert.Empty(model);
            return;
        }
        using var cursor = tree.OpenCursor();
        var there = cursor.SeekFirst();
        foreach (var (key, value) in model)
        {
            Assert.True(there, $"{key} is not in snapshot {read.Id}");
            Assert.Equal(key, Encoding.UTF8.GetString(cursor.Key));
            Assert.True(cursor.Value.SequenceEqual(value), $"{key} in snapshot {read.Id}");
            there = cursor.MoveNext();
        }
        Assert.False(there);
    }

    private static async Task WriteAsync(
        StorageEnvironment environment,
        SortedDictionary<string, byte[]> model,
        Random random
    )
    {
        var changes = Enumerable
            .Range(0, random.Next(1, 12))
            .Select(_ =>
            {
                var key = random.Next(60).ToString("d3", CultureInfo.InvariantCulture);
                if (random.Next(3) == 0)
                    return (key, Value: (byte[]?)null);
                var value = new byte[
                    random.Next(10) switch
                    {
                        0 => random.Next(60_000),
                        < 3 => random.Next(6_000),
                        _ => random.Next(300),
                    }
                ];
                random.NextBytes(value);
                return (key, Value: value);
            })
            .ToList();
        await environment.WriteAsync(t =>
        {
            var tree = t.CreateTree("t");
            foreach (var (key, value) in changes)
            {
                if (value is null)
                    tree.Delete(Encoding.UTF8.GetBytes(key));
                else
                    tree.Put(Encoding.UTF8.GetBytes(key), value);
            }
        });
        foreach (var (key, value) in changes)
        {
            if (value is null)
                model.Remove(key);
            else
                model[key] = value;
        }
    }
}
