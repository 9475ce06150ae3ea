namespace Pipeline.Storage;

internal sealed unsafe partial class DataFile
{
    /// <summary>The decrypted pages; null where the file is plain.</summary>
    public DecryptedPageCache? Plain => _plain;

    /// <summary>The generation of the key under which a page lies in the file.</summary>
    public byte GenerationOf(long page)
    {
        // Not through the mapping, which may show former content.
        var header = stackalloc byte[PageLayout.HeaderSize];
        _file.Read(page << PageLayout.PageShift, new Span<byte>(header, PageLayout.HeaderSize));
        return StoreCipher.GenerationOf(header);
    }

    /// <summary>
    /// Copies a page or run as its transaction had it; without a check where the file is plain. False, with zeros,
    /// where an encrypted one of so many pages does not begin there.
    /// </summary>
    public bool TryCopy(long page, int pageCount, byte* output)
    {
        var source = GetUnverified(page);
        if (_cipher is null)
        {
            System.Runtime.InteropServices.NativeMemory.Copy(source, output, (nuint)pageCount << PageLayout.PageShift);
            return true;
        }
        var pages = PageLayout.PagesOf(source);
        if (pages == pageCount && _cipher.DecryptPage(source, page, pageCount, output) is null)
            return true;
        System.Runtime.InteropServices.NativeMemory.Clear(output, (nuint)pageCount << PageLayout.PageShift);
        return false;
    }

    /// <summary>
    /// Makes durable copies of encrypted pages that are about to be overwritten, so that recovery never needs a torn
    /// one. Nothing where the file is plain.
    /// </summary>
    /// <exception cref="DiskFullException">There is no room for them; nothing was changed.</exception>
    public void Protect(ReadOnlySpan<nint> versions, long sequence, long checkpoint) =>
        _flushFile?.Write(versions, sequence, checkpoint, _cipher!);

    /// <summary>
    /// Puts back what <see cref="Protect"/> had copied before a crash, if that was after the same checkpoint; synced.
    /// </summary>
    public void Restore(long sequence)
    {
        var restored = _flushFile?.Restore(
            sequence,
            MaxPages,
            (offset, pages) =>
            {
                EnsurePages((offset + pages.Length) >> PageLayout.PageShift);
                _file.Write(offset, pages);
            }
        );
        if (restored > 0)
            Sync();
    }

    /// <summary>Gives back the space of the copies, which a new checkpoint has made needless.</summary>
    public void TrimCopies(bool all) => _flushFile?.Trim(all);

    private void Encrypt(PageVersion* version, Span<byte> output)
    {
        fixed (byte* to = output)
            _cipher!.EncryptPage(PageVersion.Page(version), version->PageNumber, version->PageCount, to);
    }

    private void WriteRun(byte* source, long page, int pageCount)
    {
        var (offset, bytes) = (page << PageLayout.PageShift, (long)pageCount << PageLayout.PageShift);
        using var encrypted = new NativeBuffer();
        if (_cipher is not null)
        {
            var plain = source;
            source = encrypted.Ensure(bytes);
            _cipher.EncryptPage(plain, page, pageCount, source);
        }
        for (var done = 0L; done < bytes; done += WriteBufferBytes)
        {
            _file.Write(
                offset + done,
                new ReadOnlySpan<byte>(source + done, (int)Math.Min(WriteBufferBytes, bytes - done))
            );
        }
    }
}
