using System.Buffers.Binary;
using Pipeline.Storage;

namespace Pipeline.Cluster.Tests.Refill;

/// <summary>Damages copies of stores, as a peer with bad memory would.</summary>
internal static class CopyDamage
{
    /// <summary>Changes a byte of a page, and makes its frame whole again.</summary>
    /// <returns>Whether there was a page.</returns>
    public static bool DamagePage(Span<byte> frames, Random random)
    {
        for (var at = 0; at < frames.Length; )
        {
            var kind = (CopyFrameKind)frames[at + 16];
            var length = BinaryPrimitives.ReadInt32LittleEndian(frames[(at + 12)..]);
            var payload = frames.Slice(at + CopyFrame.HeaderBytes, length);
            if (kind == CopyFrameKind.Part)
            {
                var pages = payload[(8 + PageScan.MapBytes)..];
                pages[random.Next(pages.Length)] ^= 1;
                CopyFrame.Write(
                    frames[at..],
                    kind,
                    BinaryPrimitives.ReadUInt32LittleEndian(frames[(at + 8)..]),
                    payload
                );
                return true;
            }
            at += CopyFrame.HeaderBytes + length;
        }
        return false;
    }
}
