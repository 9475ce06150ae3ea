using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Pipeline.Storage;

/// <summary>
/// Nonces of 12 bytes that do not repeat: 8 random ones drawn at each opening (and again after 2^32 - 1 nonces), then a
/// count. Nothing is kept on disk, so that neither a crash nor a copy of the store brings a nonce back. Thread-safe.
/// </summary>
internal sealed class NonceSource(uint first = 0)
{
    /// <summary>Bytes of a nonce.</summary>
    public const int Length = 12;

    private readonly Lock _gate = new();
    private Series _series = new(first);

    private sealed class Series(uint first)
    {
        public readonly ulong Prefix = BinaryPrimitives.ReadUInt64LittleEndian(RandomNumberGenerator.GetBytes(8));
        public long Count = first;
    }

    /// <summary>Writes the next nonce.</summary>
    public void Next(Span<byte> nonce)
    {
        while (true)
        {
            var series = Volatile.Read(ref _series);
            var count = Interlocked.Increment(ref series.Count);
            if (count <= uint.MaxValue)
            {
                BinaryPrimitives.WriteUInt64LittleEndian(nonce, series.Prefix);
                BinaryPrimitives.WriteUInt32LittleEndian(nonce[8..], (uint)count);
                return;
            }
            lock (_gate)
            {
                if (ReferenceEquals(_series, series))
                    Volatile.Write(ref _series, new Series(0));
            }
        }
    }
}
