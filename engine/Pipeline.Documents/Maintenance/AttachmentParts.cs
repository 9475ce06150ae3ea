using System.Security.Cryptography;
using Pipeline.Storage;

namespace Pipeline.Documents.Maintenance;

/// <summary>Reads the parts of a content to see whether it is whole.</summary>
internal static class AttachmentParts
{
    internal static bool Matches(Tree? parts, ContentEntry entry, ReadOnlySpan<byte> hash)
    {
        using var sha = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        Span<byte> key = stackalloc byte[AttachmentKeys.PartBytes];
        long size = 0;
        for (var part = 0; size < entry.Size; part++)
        {
            AttachmentKeys.WritePart(key, entry.Number, part);
            if (parts is null || !parts.TryGet(key, out var bytes) || bytes.IsEmpty)
                return false;
            sha.AppendData(bytes);
            size += bytes.Length;
        }

        Span<byte> actual = stackalloc byte[AttachmentKeys.HashBytes];
        return size == entry.Size && sha.TryGetHashAndReset(actual, out _) && actual.SequenceEqual(hash);
    }
}
