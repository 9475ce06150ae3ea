using System.Buffers.Binary;
using System.Text.Json;
using Pipeline.Storage;

namespace Pipeline.Database.Indexes;

/// <summary>The errors of an index, the newest kept: number → error.</summary>
internal static class IndexErrorLog
{
    private const int MaxMessage = 4096;

    /// <summary>Adds errors and takes the oldest out.</summary>
    public static void Append(WriteTransaction transaction, long firstNumber, IReadOnlyList<IndexError> errors, int max)
    {
        if (errors.Count == 0)
            return;
        var tree = transaction.CreateTree(UpkeepTrees.Errors);
        var skip = Math.Max(0, errors.Count - max);
        for (var i = skip; i < errors.Count; i++)
        {
            var error =
                errors[i].Message.Length > MaxMessage
                    ? errors[i] with
                    {
                        Message = errors[i].Message[..MaxMessage],
                    }
                    : errors[i];
            tree.Put(Key(firstNumber + i), JsonSerializer.SerializeToUtf8Bytes(error));
        }

        while (tree.Count > max)
        {
            byte[] oldest;
            using (var cursor = tree.OpenCursor())
            {
                if (!cursor.SeekFirst())
                    break;
                oldest = cursor.Key.ToArray();
            }

            tree.Delete(oldest);
        }
    }

    /// <summary>All that are kept, the newest first.</summary>
    public static IReadOnlyList<IndexError> Read(Transaction transaction)
    {
        var errors = new List<IndexError>();
        if (!transaction.TryOpenTree(UpkeepTrees.Errors, out var tree))
            return errors;
        using var cursor = tree.OpenCursor();
        for (var any = cursor.SeekFirst(); any; any = cursor.MoveNext())
        {
            errors.Add(JsonSerializer.Deserialize<IndexError>(cursor.Value)!);
        }

        errors.Reverse();
        return errors;
    }

    /// <summary>Forgets all.</summary>
    public static void Clear(WriteTransaction transaction)
    {
        foreach (var number in Numbers(transaction))
            transaction.CreateTree(UpkeepTrees.Errors).Delete(Key(number));
    }

    private static List<long> Numbers(WriteTransaction transaction)
    {
        var numbers = new List<long>();
        if (!transaction.TryOpenTree(UpkeepTrees.Errors, out var tree))
            return numbers;
        using var cursor = tree.OpenCursor();
        for (var any = cursor.SeekFirst(); any; any = cursor.MoveNext())
            numbers.Add(BinaryPrimitives.ReadInt64BigEndian(cursor.Key));
        return numbers;
    }

    private static byte[] Key(long number)
    {
        var key = new byte[sizeof(long)];
        BinaryPrimitives.WriteInt64BigEndian(key, number);
        return key;
    }
}
