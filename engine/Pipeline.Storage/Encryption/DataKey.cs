using System.Security.Cryptography;

namespace Pipeline.Storage;

/// <summary>
/// One of the store's own keys with ready instances of the cipher: an <see cref="AesGcm"/> serves one thread at a time.
/// Thread-safe.
/// </summary>
internal sealed class DataKey : IDisposable
{
    private readonly AesGcm?[] _ready = new AesGcm?[16];
    private readonly byte[] _bytes;
    private bool _disposed;

    public DataKey(byte generation, byte[] bytes) => (Generation, _bytes) = (generation, bytes);

    /// <summary>A new random key.</summary>
    public static DataKey New(byte generation)
    {
        var bytes = GC.AllocateUninitializedArray<byte>(UserKey.Length, pinned: true);
        RandomNumberGenerator.Fill(bytes);
        return new DataKey(generation, bytes);
    }

    /// <summary>Which key it is; pages and journal entries name it.</summary>
    public byte Generation { get; }

    /// <summary>The key itself, to be wrapped.</summary>
    public ReadOnlySpan<byte> Bytes => _bytes;

    /// <summary>An instance for the caller alone.</summary>
    public AesGcm Rent()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        var start = Environment.CurrentManagedThreadId;
        for (var i = 0; i < _ready.Length; i++)
        {
            ref var slot = ref _ready[(start + i) & 15];
            if (Volatile.Read(ref slot) is not null && Interlocked.Exchange(ref slot, null) is { } cipher)
                return cipher;
        }
        return new AesGcm(_bytes, StoreCipher.TagBytes);
    }

    /// <summary>Takes an instance back.</summary>
    public void Return(AesGcm cipher)
    {
        if (Interlocked.CompareExchange(ref _ready[Environment.CurrentManagedThreadId & 15], cipher, null) is not null)
            cipher.Dispose();
    }

    public void Dispose()
    {
        _disposed = true;
        CryptographicOperations.ZeroMemory(_bytes);
        for (var i = 0; i < _ready.Length; i++)
            Interlocked.Exchange(ref _ready[i], null)?.Dispose();
    }
}
