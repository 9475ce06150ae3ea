using System.Numerics;

namespace Pipeline.Storage;

/// <content>
/// <para>
/// Growth of the mapping. Address space is shared by all stores of a process, so a store reserves little and maps its
/// file anew, with more room, when the file outgrows that. Why a reader never sees a page that is not there or not its
/// own:
/// </para>
/// <list type="number">
/// <item>
/// A mapping is never moved or unmapped before disposal, which waits for all readers. An address that was given out
/// stays good.
/// </item>
/// <item>
/// All mappings are of one file and show its bytes at once. It does not matter by which of them a reader reads a page
/// that lies in both.
/// </item>
/// <item>A page beyond the old room is allocated after the new mapping is published, and is found only through a commit
/// or checkpoint that is published later still, by a write with release semantics. Whoever finds the page number
/// therefore reads the new mapping's address.</item>
/// <item>Frozen pages show former bytes (DataFile.Frozen.cs). Freezing and thawing act on all mappings, and a new one
/// inherits the frozen pages.
/// <see cref="_mappings"/> keeps these apart, so that no range is frozen between the copy and the publication.</item>
/// </list>
/// <para>
/// A read costs no more than before: one load of a field. The number of mappings is the logarithm, base eight, of the
/// growth.
/// </para>
/// </content>
internal sealed unsafe partial class DataFile
{
    private const int GrowthFactor = 8;

    /// <summary>
    /// Guards the set of mappings and of frozen pages. Taken inside <see cref="_space"/>, never around it.
    /// </summary>
    private readonly Lock _mappings = new();
    private long _mapped;

    /// <summary>Bytes of address space that the newest mapping takes.</summary>
    public long MappedBytes => Volatile.Read(ref _mapped);

    private static long FirstMapping(IStorageFile file, StorageOptions options) =>
        !file.CanMapMore
            ? options.MaxDataFileBytes
            : Math.Min(
                Math.Max(options.MappedBytes, (long)BitOperations.RoundUpToPowerOf2((ulong)file.Length) * 4),
                options.MaxDataFileBytes
            );

    /// <summary>
    /// Maps more if the file is about to grow beyond the mapping. Returns the length it may grow to, at least the
    /// needed one.
    /// </summary>
    /// <exception cref="DiskFullException">The system has no more address space; the file is as before.</exception>
    private long EnsureMapped(long needed, long target)
    {
        if (target <= _mapped || !_file.CanMapMore)
            return target;
        var wanted = _mapped;
        while (wanted < target)
            wanted *= GrowthFactor;
        wanted = Math.Min(wanted, _options.MaxDataFileBytes);
        try
        {
            Map(wanted);
            return target;
        }
        catch (IOException e)
        {
            return needed <= _mapped
                ? _mapped
                : throw new DiskFullException(
                    $"{Path} (no address space to map {wanted:N0} bytes)",
                    needed - _file.Length,
                    e
                );
        }
    }

    /// <summary>Maps the file anew where its growth does not show in the newest mapping.</summary>
    /// <exception cref="DiskFullException">The system has no more address space.</exception>
    private void ShowGrowth()
    {
        if (_file.TryShowGrowth())
            return;
        try
        {
            Map(_mapped);
        }
        catch (IOException e)
        {
            throw new DiskFullException($"{Path} (no address space to map {_mapped:N0} bytes)", 0, e);
        }
    }

    /// <summary>Maps the file anew, with room for this many bytes.</summary>
    private void Map(long bytes)
    {
        lock (_mappings)
        {
            _mapping = (byte*)_file.MapMore(bytes, FrozenRanges());
            Volatile.Write(ref _mapped, bytes);
        }
    }

    private IEnumerable<(long Offset, long Length)> FrozenRanges()
    {
        if (Volatile.Read(ref _frozenPages) == 0)
            yield break;
        var pages = _file.Length >> PageLayout.PageShift;
        for (long page = 0; page < pages; page++)
        {
            // A word covers 64 pages, and usually none of them is frozen.
            if ((page & 63) == 0 && FrozenWord(page) == 0)
            {
                page += 63;
                continue;
            }
            if (!IsFrozen(page))
                continue;
            var start = page;
            while (page < pages && IsFrozen(page))
                page++;
            yield return (start << PageLayout.PageShift, (page - start) << PageLayout.PageShift);
        }
    }

    private long FrozenWord(long page) => *((long*)_frozen.Address + (page >> 6));
}
