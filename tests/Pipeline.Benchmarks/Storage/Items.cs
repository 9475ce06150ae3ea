namespace Pipeline.Benchmarks.Storage;

/// <summary>Items prepared in memory.</summary>
public sealed class Items
{
    private readonly byte[] _keys;
    private readonly byte[][] _chunks;
    private readonly (int Chunk, int Offset, int Length)[] _values;

    public Items(ulong from, int count, bool hashed)
    {
        _keys = new byte[count * 16];
        _values = new (int, int, int)[count];
        var chunks = new List<byte[]>();
        var chunk = Array.Empty<byte>();
        var at = 0;
        for (var i = 0; i < count; i++)
        {
            var number = from + (ulong)i;
            Generator.Key(hashed ? Generator.Mix(number) : number, _keys.AsSpan(i * 16, 16));
            if (at + 600 > chunk.Length)
            {
                chunks.Add(chunk = new byte[16 << 20]);
                at = 0;
            }

            var length = Generator.Value(number, chunk.AsSpan(at));
            _values[i] = (chunks.Count - 1, at, length);
            at += length;
        }

        _chunks = [.. chunks];
    }

    public int Count => _values.Length;

    public ReadOnlySpan<byte> Key(int i) => _keys.AsSpan(i * 16, 16);

    public ReadOnlySpan<byte> Value(int i)
    {
        var (chunk, offset, length) = _values[i];
        return _chunks[chunk].AsSpan(offset, length);
    }
}
