using System.Runtime.InteropServices;

namespace Pipeline.Cluster.Tests.Model;

/// <summary>The records of a search, each with a number: states hold numbers, and equal bytes have one.</summary>
internal sealed class ModelRecords
{
    private readonly List<LogRecord> _records = [];
    private readonly Dictionary<string, int> _numbers = [];

    public LogRecord this[int number] => _records[number];

    public int NumberOf(LogRecord record)
    {
        var name = Convert.ToHexString(record.Bytes.Span);
        if (!_numbers.TryGetValue(name, out var number))
        {
            _numbers[name] = number = _records.Count;
            _records.Add(record);
        }
        return number;
    }

    /// <summary>A fingerprint of the words that decide what can follow a state.</summary>
    public static UInt128 Fingerprint(List<long> words)
    {
        Span<byte> chain = stackalloc byte[Chain.Length];
        default(Chain).Append(MemoryMarshal.AsBytes(CollectionsMarshal.AsSpan(words))).Write(chain);
        return MemoryMarshal.Read<UInt128>(chain);
    }
}
