using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;

namespace Pipeline.Documents.Events;

/// <summary>
/// Seals payloads with AES-256-GCM: nonce (12), tag (16), ciphertext. A payload opens only with the same stream, number
/// and kind (event or snapshot).
/// </summary>
internal static class PayloadCipher
{
    private const int NonceBytes = 12;
    private const int TagBytes = 16;

    /// <summary>Snapshots are sealed as numbers below zero.</summary>
    internal static long SnapshotNumber(long sequence) => -1 - sequence;

    internal static byte[] Seal(byte[] key, string streamId, long number, ReadOnlySpan<byte> payload)
    {
        var sealedPayload = new byte[NonceBytes + TagBytes + payload.Length];
        var nonce = sealedPayload.AsSpan(0, NonceBytes);
        RandomNumberGenerator.Fill(nonce);
        using var cipher = new AesGcm(key, TagBytes);
        cipher.Encrypt(
            nonce,
            payload,
            sealedPayload.AsSpan(NonceBytes + TagBytes),
            sealedPayload.AsSpan(NonceBytes, TagBytes),
            Identity(streamId, number)
        );
        return sealedPayload;
    }

    internal static byte[] Open(
        byte[] key,
        string streamId,
        long number,
        ReadOnlySpan<byte> sealedPayload,
        string database
    )
    {
        if (sealedPayload.Length < NonceBytes + TagBytes)
        {
            throw new DatabaseCorruptException(
                database,
                $"the encrypted payload {number} of stream '{streamId}' has {sealedPayload.Length} bytes"
            );
        }

        var payload = new byte[sealedPayload.Length - NonceBytes - TagBytes];
        using var cipher = new AesGcm(key, TagBytes);
        try
        {
            cipher.Decrypt(
                sealedPayload[..NonceBytes],
                sealedPayload[(NonceBytes + TagBytes)..],
                sealedPayload.Slice(NonceBytes, TagBytes),
                payload,
                Identity(streamId, number)
            );
        }
        catch (AuthenticationTagMismatchException)
        {
            throw new DatabaseCorruptException(
                database,
                $"the encrypted payload {number} of stream '{streamId}' does not open with the stream's key"
            );
        }

        return payload;
    }

    private static byte[] Identity(string streamId, long number)
    {
        var identity = new byte[8 + Encoding.UTF8.GetByteCount(streamId)];
        BinaryPrimitives.WriteInt64LittleEndian(identity, number);
        Encoding.UTF8.GetBytes(streamId, identity.AsSpan(8));
        return identity;
    }
}
