using System.Buffers.Binary;
using System.Globalization;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.Cluster.Tests.Store;

/// <summary>Operations on a store, drawn at random, that keep a count and a history of themselves.</summary>
internal static class StoreOperation
{
    private static ReadOnlySpan<byte> CountKey => "n"u8;

    /// <summary>A write of all kinds that change pages. Runs the same each time on the same state.</summary>
    /// <returns>An operation that returns how many writes there are with it.</returns>
    public static Func<WriteTransaction, long> Draw(Random random, int number)
    {
        var steps = new List<Action<WriteTransaction>>();
        for (var i = random.Next(1, 4); i > 0; i--)
        {
            var name = "tree" + random.Next(2);
            var key = Encoding.UTF8.GetBytes("key/" + random.Next(60).ToString("d3", CultureInfo.InvariantCulture));
            var dice = random.Next(60);
            if (dice == 0)
            {
                steps.Add(t => t.DropTree(name));
            }
            else if (dice < 18)
            {
                steps.Add(t => t.CreateTree(name).Delete(key));
            }
            else
            {
                var value = new byte[
                    random.Next(30) switch
                    {
                        0 => random.Next(20_000),
                        <= 3 => random.Next(4000),
                        _ => random.Next(200),
                    }
                ];
                random.NextBytes(value);
                steps.Add(t => t.CreateTree(name).Put(key, value));
            }
        }
        return t =>
        {
            foreach (var step in steps)
                step(t);
            var count = Count(t) + 1;
            Span<byte> bytes = stackalloc byte[8];
            BinaryPrimitives.WriteInt64BigEndian(bytes, count);
            t.CreateTree("history").Put(bytes, BitConverter.GetBytes(number));
            t.CreateTree("count").Put(CountKey, bytes);
            return count;
        };
    }

    /// <summary>How many writes a state holds.</summary>
    public static long Count(Transaction transaction) =>
        transaction.TryOpenTree("count", out var tree) && tree.TryGet(CountKey, out var bytes)
            ? BinaryPrimitives.ReadInt64BigEndian(bytes)
            : 0;

    /// <summary>The numbers of the writes of a store, in their order.</summary>
    public static List<int> History(Transaction transaction)
    {
        var numbers = new List<int>();
        if (!transaction.TryOpenTree("history", out var tree))
            return numbers;
        Span<byte> key = stackalloc byte[8];
        for (var i = 1L; ; i++)
        {
            BinaryPrimitives.WriteInt64BigEndian(key, i);
            if (!tree.TryGet(key, out var number))
                return numbers;
            numbers.Add(BitConverter.ToInt32(number));
        }
    }
}
