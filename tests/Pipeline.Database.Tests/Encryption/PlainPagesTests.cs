using System.Text;
using Pipeline.Documents.Transfer;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Database.Tests.Encryption;

/// <summary>What decrypted pages cost in memory.</summary>
public sealed class PlainPagesTests
{
    private const int Items = 4_000;

    private static StorageEncryption Encryption(long mostPlain) =>
        new() { Key = Enumerable.Repeat((byte)9, 32).ToArray(), MaxPlainBytes = mostPlain };

    private static byte[] Key(int i) => Encoding.UTF8.GetBytes($"key-{i:d6}");

    private static async Task<StorageEnvironment> OpenAsync(long mostPlain)
    {
        var environment = StorageEnvironment.Open(
            new StorageOptions { Encryption = Encryption(mostPlain), MaxDataFileBytes = 256 << 20 }
        );
        await environment.WriteAsync(t =>
        {
            for (var i = 0; i < Items; i++)
                t.CreateTree("t").Put(Key(i), new byte[i % 50 == 0 ? 9_000 : 200]);
        });
        environment.Flush();
        return environment;
    }

    [Theory]
    [InlineData(64L << 20)]
    [InlineData(300_000L)]
    public async Task Reads_of_an_encrypted_store_allocate_nothing_whether_pages_are_cached_or_decrypted_anew(
        long mostPlain
    )
    {
        using var environment = await OpenAsync(mostPlain);
        using var read = environment.BeginRead();
        var tree = read.OpenTree("t");
        using var cursor = tree.OpenCursor();
        var keys = Enumerable.Range(0, Items).Select(Key).ToArray();
        var (points, steps) = (long.MaxValue, long.MaxValue);
        for (var round = 0; round < 6; round++)
        {
            // The least of some rounds: the runtime may allocate too, and lists of pages grow at first.
            var before = GC.GetAllocatedBytesForCurrentThread();
            var found = 0;
            for (var i = 0; i < Items; i++)
            {
                found += tree.TryGet(keys[i * 37 % Items], out var value) ? value.Length : 0;
                if (i % 20 == 0)
                    read.Renew();
            }
            points = Math.Min(points, GC.GetAllocatedBytesForCurrentThread() - before);
            Assert.True(found > Items * 200);

            before = GC.GetAllocatedBytesForCurrentThread();
            found = 0;
            for (var more = cursor.SeekFirst(); more; more = cursor.MoveNext())
                found += cursor.Value.Length;
            steps = Math.Min(steps, GC.GetAllocatedBytesForCurrentThread() - before);
            Assert.True(found > Items * 200);
            read.Renew();
        }
        Assert.Equal(0, points);
        if (mostPlain > 1 << 20)
            Assert.Equal(0, steps);
        else
            Assert.InRange(environment.GetStatistics().PlainPageBytes, 0, mostPlain);
    }

    [Fact]
    public async Task An_export_of_a_large_store_keeps_few_pages_of_its_one_snapshot_decrypted()
    {
        await using var database = DocumentDatabase.Open(
            new DatabaseOptions
            {
                Storage = new StorageOptions
                {
                    Encryption = Encryption(mostPlain: 100_000),
                    MaxDataFileBytes = 256 << 20,
                },
            }
        );
        var text = new string('x', 150_000);
        for (var i = 0; i < 200; i++)
        {
            await database.PutAsync(
                $"things/{i:d3}",
                Encoding.UTF8.GetBytes($$$"""{"N":{{{i}}},"Text":"{{{text}}}","@metadata":{"@collection":"Things"}}""")
            );
        }

        database.Storage.Flush();
        using var snapshot = database.OpenSnapshot();
        using var target = new Watched(() => database.Storage.GetStatistics().PlainPageBytes);
        Assert.Equal(200, await JsonLinesExport.ExportAsync(snapshot, target));
        Assert.True(target.Bytes > 200 * 150_000, $"{target.Bytes} bytes");
        // 8 MiB, plus the pages of one document and of the path to it, plus the shared pages.
        Assert.InRange(target.Most, 1 << 20, 10 << 20);
        Assert.Equal(200, target.Lines);
    }

    private sealed class Watched(Func<long> figure) : MemoryStream
    {
        public long Most { get; private set; }

        public long Bytes { get; private set; }

        public int Lines { get; private set; }

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            Most = Math.Max(Most, figure());
            Bytes += buffer.Length;
            Lines += buffer.Span.Count((byte)'\n');
            return ValueTask.CompletedTask;
        }
    }
}
