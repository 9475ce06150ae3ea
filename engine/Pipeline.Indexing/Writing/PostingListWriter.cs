namespace Pipeline.Indexing;

/// <summary>
/// Writes the stored form of one posting list after another: of a new list, or of a stored one that grows. Full blocks
/// of a stored list are copied unchanged; only its last block is packed again.
/// </summary>
/// <remarks>
/// Not thread-safe; used again from list to list. See <c>.Load</c> for going on, <c>.Blocks</c> for packing.
/// </remarks>
internal sealed unsafe partial class PostingListWriter
{
    private readonly PutLog _postings;
    private readonly PutLog _positions;
    private readonly int[] _entries = new int[BlockCodec.Length];
    private readonly uint[] _frequencies = new uint[BlockCodec.Length];
    private readonly ChunkBuffer _chunk = new(PostingLayout.DirectorySize);
    private readonly ChunkBuffer _positionChunk = new(PostingLayout.PositionDirectorySize);
    private readonly BlockImpacts _impacts = new();
    private readonly byte[] _key = new byte[PostingLayout.KeySize];
    private readonly byte[] _record = new byte[TermRecord.MaxHeader + PostingLayout.MaxInline];
    private uint[] _blockPositions = new uint[1024];
    private TermRecord _term;
    private ulong _nextList;

    /// <summary>Entries in the block that is being filled, and positions of them.</summary>
    private int _count;
    private int _positionCount;
    private int _maxFrequency;
    private int _minLength;

    /// <summary>The first entry of the chunks being made, and the last one in a finished block.</summary>
    private int _chunkFirst;
    private int _chunkLast;
    private int _chunkCount;
    private int _positionChunkFirst;

    /// <param name="postings">Takes chunks of entries.</param>
    /// <param name="positions">Takes chunks of positions.</param>
    /// <param name="firstList">The number of the first list that is made; those after it must be free too.</param>
    public PostingListWriter(PutLog postings, PutLog positions, ulong firstList)
    {
        _postings = postings;
        _positions = positions;
        _nextList = firstList;
    }

    /// <summary>The number that the next list would have.</summary>
    public ulong NextList => _nextList;

    /// <summary>The number of the list's term; −1 if it has none.</summary>
    public int Id => _term.Id;

    /// <summary>Begins a list that is not stored yet.</summary>
    public void Begin(PostingFlags flags, int id)
    {
        _term = new TermRecord
        {
            Flags = flags & ~PostingFlags.Chunked,
            Id = id,
            MinLength = PostingLayout.MaxImpact,
            LastEntry = -1,
        };
        _chunk.Clear();
        _positionChunk.Clear();
        _chunkCount = 0;
        ClearBlock();
    }

    /// <summary>
    /// Adds an entry behind those that are there. Its positions were added before, by <see cref="AddPosition"/>.
    /// </summary>
    /// <param name="entry">The entry; greater than the last.</param>
    /// <param name="frequency">How often it has the term; 1 in lists without frequencies.</param>
    /// <param name="length">The field's tokens in the entry, or fewer.</param>
    public void Add(int entry, int frequency, int length)
    {
        if (_count == BlockCodec.Length)
            EndBlock();
        _entries[_count] = entry;
        _frequencies[_count] = (uint)frequency;
        _count++;
        _impacts.Add(frequency, length);
        _maxFrequency = Math.Max(_maxFrequency, Math.Min(frequency, PostingLayout.MaxImpact));
        _minLength = Math.Min(_minLength, length);
        _term.DocumentFrequency++;
        _term.TotalFrequency += frequency;
        _term.LastEntry = entry;
    }

    /// <summary>Adds a position of the entry that is added next.</summary>
    public void AddPosition(uint position)
    {
        // The block that is full ends before the positions of the next entry are taken in.
        if (_count == BlockCodec.Length)
            EndBlock();
        if (_positionCount == _blockPositions.Length)
            Array.Resize(ref _blockPositions, checked(_positionCount * 2));
        _blockPositions[_positionCount++] = position;
    }

    /// <summary>
    /// Ends the list; returns the term's record, valid until the next list is begun. Empty where the list has no
    /// entries.
    /// </summary>
    public ReadOnlySpan<byte> End()
    {
        if (_term.DocumentFrequency == 0)
            return default;
        NoteImpact();
        if (!_term.IsChunked && _chunk.Blocks == 0 && TryWriteInline(out var inline))
            return inline;
        if (_count > 0)
            EndBlock();
        EndChunk();
        EndPositionChunk();
        fixed (byte* record = _record)
            return _record.AsSpan(0, (int)(_term.Write(record) - record));
    }

    private void ClearBlock()
    {
        _count = 0;
        _positionCount = 0;
        _impacts.Clear();
        _maxFrequency = 0;
        _minLength = PostingLayout.MaxImpact;
    }

    private void NoteImpact()
    {
        _term.MaxFrequency = Math.Max(_term.MaxFrequency, _maxFrequency);
        _term.MinLength = Math.Min(_term.MinLength, _minLength);
    }
}
