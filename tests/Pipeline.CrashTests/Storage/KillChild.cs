using System.Buffers.Binary;
using Pipeline.Storage;

namespace Pipeline.CrashTests.Storage;

/// <summary>
/// The child process: four writers put numbered values, each under separate keys, as fast as they can.
/// Before they continue, they print each acknowledged number on standard output. Runs until it is killed.
/// </summary>
internal static class KillChild
{
    public const int Writers = 4;

    public static StorageOptions Options(string folder, bool encrypted) =>
        new()
        {
            Encryption = encrypted ? CrashWorkload.Key : null,
            Path = folder,
            FlushJournalBytes = 1 << 20,
            MaxUnflushedJournalBytes = 8 << 20,
            MaxJournalFileBytes = 2 << 20,
        };

    public static byte[] Key(int writer, long number)
    {
        var key = new byte[9];
        key[0] = (byte)writer;
        BinaryPrimitives.WriteInt64BigEndian(key.AsSpan(1), number);
        return key;
    }

    public static byte[] Value(int writer, long number)
    {
        var random = new Random(((int)number * 16) + writer);
        var value = new byte[random.Next(20) == 0 ? random.Next(40000) : random.Next(500)];
        value.AsSpan().Fill((byte)((number * 7) + writer));
        return value;
    }

    public static async Task<int> RunAsync(string folder, int seed, bool encrypted)
    {
        using var environment = StorageEnvironment.Open(Options(folder, encrypted));
        var output = Console.Out;
        using var beside = new KillUpkeep(environment, folder, seed, encrypted);
        beside.Start();
        await Task.WhenAll(
            Enumerable.Range(0, Writers).Select(writer => Task.Run(() => WriteAsync(environment, output, writer)))
        );
        return seed;
    }

    private static async Task WriteAsync(StorageEnvironment environment, TextWriter output, int writer)
    {
        var next = 0L;
        using (var read = environment.BeginRead())
        {
            if (read.TryOpenTree("t", out var tree))
            {
                using var cursor = tree.OpenCursor();
                if (cursor.SeekBefore([(byte)(writer + 1)]) && cursor.Key[0] == writer)
                    next = BinaryPrimitives.ReadInt64BigEndian(cursor.Key[1..]) + 1;
            }
        }
        while (true)
        {
            var number = next++;
            Func<WriteTransaction, bool> operation = t =>
            {
                var tree = t.CreateTree("t");
                tree.Put(Key(writer, number), Value(writer, number));
                return number % 3 == 2 && tree.Delete(Key(writer, number - 2));
            };
            _ = writer % 2 == 0 ? environment.Write(operation) : await environment.WriteAsync(operation);
            lock (output)
            {
                output.WriteLine($"{writer} {number}");
                output.Flush();
            }
        }
    }
}
