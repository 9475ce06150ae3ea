using System.Globalization;

namespace Pipeline.Server.Endpoints;

/// <summary>An ETag computed from positions: FNV-1a over their bytes. A mutable value type.</summary>
internal struct ETagHash
{
    private ulong _hash = 14695981039346656037;

    public ETagHash() { }

    /// <summary>Adds a position; 0 for a missing document.</summary>
    public ETagHash Add(long position)
    {
        for (var i = 0; i < 64; i += 8)
            _hash = (_hash ^ (byte)(position >> i)) * 1099511628211;
        return this;
    }

    /// <summary>The ETag.</summary>
    public override readonly string ToString() => _hash.ToString("x16", CultureInfo.InvariantCulture);
}
