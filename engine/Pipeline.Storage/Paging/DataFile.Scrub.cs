namespace Pipeline.Storage;

internal sealed unsafe partial class DataFile
{
    private const int MaxAtOnce = 16 << 20;

    /// <summary>
    /// Reads a page or run from the file, past the mapping and the decrypted pages, and verifies and decrypts it.
    /// Returns the problem, or null. After a problem, the next <see cref="Get"/> of the page verifies it again.
    /// </summary>
    public string? ReadVerified(long page, int pageCount, byte* output)
    {
        var reason =
            Read(page << PageLayout.PageShift, output, (long)pageCount << PageLayout.PageShift)
            ?? PageChecksum.Check(output, page, pageCount)
            ?? _cipher?.DecryptPage(output, page, pageCount, output);
        if (reason is not null)
            Interlocked.And(ref Word(page), ~(1L << (int)(page & 63)));
        return reason;
    }

    /// <summary>
    /// Reads a meta page back; returns the problem, or null. Must not run while a meta page is written.
    /// </summary>
    /// <param name="slot">Which of the two.</param>
    /// <param name="sequence">The sequence that it must have; null for any.</param>
    public string? CheckMeta(int slot, long? sequence)
    {
        var page = stackalloc byte[PageLayout.PageSize];
        if (Read((long)slot << PageLayout.PageShift, page, PageLayout.PageSize) is { } reason)
            return reason;
        if (PageChecksum.Check(page, slot, 1) is { } damage)
            return damage;
        return MetaPage.Decode(Path, page, slot) is not { } meta ? "it is not a meta page"
            : sequence is { } expected && meta.Sequence != expected
                ? $"its sequence is {meta.Sequence}, {expected} was written"
            : null;
    }

    /// <summary>
    /// The pages of the run that begins there, or 1, by the header in the file, which may be damaged; 0 if the file ends
    /// before.
    /// </summary>
    public int CountPages(long page)
    {
        var header = stackalloc byte[PageLayout.HeaderSize];
        if (Read(page << PageLayout.PageShift, header, PageLayout.HeaderSize) is not null)
            return 0;
        if (PageLayout.Type(header) != PageType.Overflow || PageLayout.Overflow(header) < 0)
            return 1;
        var count = PageLayout.PagesForOverflow(PageLayout.Overflow(header));
        return (page + count) << PageLayout.PageShift <= _file.Length ? count : 0;
    }

    /// <summary>
    /// Writes a page or run, sealed and decrypted, in place of a damaged one. Must not run while a flush writes.
    /// </summary>
    public void Rewrite(long page, int pageCount, byte* content) => WriteRun(content, page, pageCount);

    private string? Read(long offset, byte* output, long bytes)
    {
        try
        {
            for (var done = 0L; done < bytes; done += MaxAtOnce)
            {
                var part = new Span<byte>(output + done, (int)Math.Min(MaxAtOnce, bytes - done));
                if (_file.Read(offset + done, part) < part.Length)
                    return $"the file ends before its end, at {_file.Length} bytes";
            }
            return null;
        }
        catch (IOException e)
        {
            return $"it cannot be read: {e.Message.TrimEnd('.')}";
        }
    }
}
