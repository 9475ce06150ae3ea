namespace Pipeline.Benchmarks.Storage;

/// <summary>xorshift64* (Vigna, 2014).</summary>
public struct Xorshift(ulong seed)
{
    private ulong _state = seed == 0 ? 1 : seed;

    public ulong Next()
    {
        _state ^= _state >> 12;
        _state ^= _state << 25;
        _state ^= _state >> 27;
        return _state * 2685821657736338717;
    }
}
