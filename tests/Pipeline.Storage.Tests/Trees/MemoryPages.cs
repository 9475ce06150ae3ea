using System.Runtime.InteropServices;
using Xunit;

namespace Pipeline.Storage.Tests.Trees;

/// <summary>
/// A store of page versions in native memory, for trees without an environment. Snapshots stay readable while later
/// transactions commit, and each commit verifies that no page was written to that had not been made writable.
/// </summary>
internal sealed unsafe class MemoryPages : IDisposable
{
    private readonly List<nint> _blocks = [];
    private readonly Dictionary<nint, byte[]> _sealed = [];
    private PageVersion[] _current = new PageVersion[16];

    internal record struct PageVersion(nint Pointer, int Pages);

    public long CatalogRoot { get; private set; }

    public long LastTransaction { get; private set; }

    public long Next { get; private set; } = 3;

    /// <summary>
    /// Whether each commit checks that committed versions of pages still have the bytes of their commit.
    /// </summary>
    public bool Verify { get; init; } = true;

    public long PagesInUse => _current.Sum(v => (long)v.Pages);

    public MemoryAccess Read() => new(this, LastTransaction, false, (PageVersion[])_current.Clone());

    public MemoryAccess Write() => new(this, LastTransaction + 1, true, (PageVersion[])_current.Clone());

    public void Commit(MemoryAccess access)
    {
        if (Verify)
        {
            foreach (var (pointer, bytes) in _sealed)
            {
                Assert.True(
                    new ReadOnlySpan<byte>((void*)pointer, bytes.Length).SequenceEqual(bytes),
                    $"page {*(long*)(pointer + 8)} was written to without being made writable"
                );
            }

            foreach (var version in access.Written)
            {
                _sealed[version.Pointer] = new ReadOnlySpan<byte>(
                    (void*)version.Pointer,
                    version.Pages * 8192
                ).ToArray();
            }
        }

        _current = access.Pages;
        CatalogRoot = access.CatalogRoot;
        LastTransaction = access.TransactionId;
        Next = access.Next;
    }

    public nint NewBlock(int pages)
    {
        var block = (nint)NativeMemory.AlignedAlloc((nuint)pages * 8192, 8192);
        NativeMemory.Clear((void*)block, (nuint)pages * 8192);
        _blocks.Add(block);
        return block;
    }

    public void Dispose()
    {
        foreach (var block in _blocks)
            NativeMemory.AlignedFree((void*)block);
        _blocks.Clear();
    }
}
