using System.Security.Cryptography;

namespace Pipeline.Storage;

/// <summary>
/// AES-256-GCM over pages and journal entries, as engine/FORMAT.md lays them out. What is not encrypted of them, and
/// where they belong, is authenticated with them: store, page number and transaction, or place in the journal.
/// Thread-safe.
/// </summary>
internal sealed unsafe class StoreCipher : IDisposable
{
    /// <summary>Bytes of a tag.</summary>
    public const int TagBytes = 16;

    /// <summary>Bytes of a page before those that are encrypted: the header up to the overflow field.</summary>
    public const int ClearBytes = PageLayout.LowerOffset;

    private const int PageAadBytes = 40;
    private const int EntryAadBytes = 96;
    private const int MarkedEntryAadBytes = EntryAadBytes + 8;
    private readonly Guid _storeId;
    private readonly NonceSource _nonces = new();
    private DataKey[] _keys;

    public StoreCipher(Guid storeId, DataKey[] keys) => (_storeId, _keys) = (storeId, keys);

    /// <summary>The keys, the one for all that is written first.</summary>
    public IReadOnlyList<DataKey> Keys => Volatile.Read(ref _keys);

    /// <summary>Replaces the keys; those left out are wiped.</summary>
    public void Use(DataKey[] keys)
    {
        var before = Interlocked.Exchange(ref _keys, keys);
        foreach (var key in before.Except(keys))
            key.Dispose();
    }

    /// <summary>The key generation for new data.</summary>
    public byte Generation => Volatile.Read(ref _keys)[0].Generation;

    /// <summary>The generation of the key of an encrypted page.</summary>
    public static byte GenerationOf(byte* encrypted) => PageLayout.Flags(encrypted);

    /// <summary>Encrypts a sealed page or run into the output, with the checksum of the result.</summary>
    public void EncryptPage(byte* page, long number, int pageCount, byte* output)
    {
        var key = Volatile.Read(ref _keys)[0];
        var length = pageCount << PageLayout.PageShift;
        new ReadOnlySpan<byte>(page, ClearBytes).CopyTo(new Span<byte>(output, ClearBytes));
        PageLayout.Flags(output) = key.Generation;
        var nonce = new Span<byte>(output + PageLayout.NonceOffset, NonceSource.Length);
        _nonces.Next(nonce);
        Span<byte> aad = stackalloc byte[PageAadBytes];
        FillAad(aad, output);
        var cipher = key.Rent();
        cipher.Encrypt(
            nonce,
            new ReadOnlySpan<byte>(page + ClearBytes, length - ClearBytes),
            new Span<byte>(output + ClearBytes, length - ClearBytes),
            new Span<byte>(output + PageLayout.TagOffset, TagBytes),
            aad
        );
        key.Return(cipher);
        PageLayout.Checksum(output) = PageChecksum.Compute(output, number, pageCount);
    }

    /// <summary>
    /// Decrypts a page or run to the very bytes that it had in memory when sealed. Returns the problem, or null. The
    /// output may be the page itself, once its checksum is known to be right.
    /// </summary>
    public string? DecryptPage(byte* page, long number, int pageCount, byte* output)
    {
        var length = pageCount << PageLayout.PageShift;
        var generation = GenerationOf(page);
        if (Find(generation) is not { } key)
        {
            return PageChecksum.Check(page, number, pageCount)
                ?? $"it is encrypted under key {generation}, which the store does not have";
        }

        if (PageLayout.Number(page) != number)
            return PageChecksum.Check(page, number, pageCount) ?? $"it is page {PageLayout.Number(page)}, misplaced";
        Span<byte> aad = stackalloc byte[PageAadBytes];
        FillAad(aad, page);
        var cipher = key.Rent();
        try
        {
            cipher.Decrypt(
                new ReadOnlySpan<byte>(page + PageLayout.NonceOffset, NonceSource.Length),
                new ReadOnlySpan<byte>(page + ClearBytes, length - ClearBytes),
                new ReadOnlySpan<byte>(page + PageLayout.TagOffset, TagBytes),
                new Span<byte>(output + ClearBytes, length - ClearBytes),
                aad
            );
        }
        catch (AuthenticationTagMismatchException)
        {
            return (page == output ? null : PageChecksum.Check(page, number, pageCount))
                ?? "its authentication tag does not match: it was altered, or belongs elsewhere";
        }
        finally
        {
            key.Return(cipher);
        }
        new ReadOnlySpan<byte>(page, ClearBytes).CopyTo(new Span<byte>(output, ClearBytes));
        PageLayout.Flags(output) = 0;
        new Span<byte>(output + PageLayout.NonceOffset, NonceSource.Length + TagBytes).Clear();
        PageLayout.Checksum(output) = PageChecksum.Compute(output, number, pageCount);
        return null;
    }

    /// <summary>
    /// Encrypts the records of a journal entry in place. Its header must be complete except for the checksum.
    /// </summary>
    public void EncryptEntry(byte* entry, long recordBytes)
    {
        var key = Volatile.Read(ref _keys)[0];
        *(int*)(entry + JournalLayout.KeyOffset) = key.Generation;
        var nonce = new Span<byte>(entry + JournalLayout.NonceOffset, NonceSource.Length);
        _nonces.Next(nonce);
        Span<byte> aad = stackalloc byte[MarkedEntryAadBytes];
        aad = FillEntryAad(aad, entry);
        var records = new Span<byte>(entry + JournalLayout.EntryHeader, checked((int)recordBytes));
        var cipher = key.Rent();
        cipher.Encrypt(nonce, records, records, new Span<byte>(entry + JournalLayout.TagOffset, TagBytes), aad);
        key.Return(cipher);
    }

    /// <summary>Decrypts the records of a journal entry in place. Returns the problem, or null.</summary>
    public string? DecryptEntry(byte* entry, long recordBytes)
    {
        if (recordBytes > int.MaxValue)
            return "it is larger than an encrypted entry can be";
        var generation = *(int*)(entry + JournalLayout.KeyOffset);
        if (Find(generation) is not { } key)
            return $"it is encrypted under key {generation}, which the store does not have";
        Span<byte> aad = stackalloc byte[MarkedEntryAadBytes];
        aad = FillEntryAad(aad, entry);
        var records = new Span<byte>(entry + JournalLayout.EntryHeader, (int)recordBytes);
        var cipher = key.Rent();
        try
        {
            cipher.Decrypt(
                new ReadOnlySpan<byte>(entry + JournalLayout.NonceOffset, NonceSource.Length),
                records,
                new ReadOnlySpan<byte>(entry + JournalLayout.TagOffset, TagBytes),
                records,
                aad
            );
            return null;
        }
        catch (AuthenticationTagMismatchException)
        {
            return "its authentication tag does not match: it was altered, or belongs elsewhere";
        }
        finally
        {
            key.Return(cipher);
        }
    }

    public void Dispose() => Use([]);

    private DataKey? Find(int generation)
    {
        foreach (var key in Volatile.Read(ref _keys))
        {
            if (key.Generation == generation)
                return key;
        }
        return null;
    }

    private void FillAad(Span<byte> aad, byte* page)
    {
        _storeId.TryWriteBytes(aad);
        new ReadOnlySpan<byte>(page + PageLayout.TypeOffset, 20).CopyTo(aad[16..]);
        new ReadOnlySpan<byte>(page + PageLayout.OverflowOffset, 4).CopyTo(aad[36..]);
    }

    private Span<byte> FillEntryAad(Span<byte> aad, byte* entry)
    {
        _storeId.TryWriteBytes(aad);
        new ReadOnlySpan<byte>(entry + 8, JournalLayout.NonceOffset - 8).CopyTo(aad[16..]);
        new ReadOnlySpan<byte>(entry + JournalLayout.KeyOffset, 4).CopyTo(aad[92..]);
        if ((*(uint*)(entry + 28) & JournalLayout.MarkedFlag) == 0)
            return aad[..EntryAadBytes];
        new ReadOnlySpan<byte>(entry + JournalLayout.MarkOffset, 8).CopyTo(aad[EntryAadBytes..]);
        return aad;
    }
}
