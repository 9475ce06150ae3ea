using System.Buffers.Binary;
using System.Globalization;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.Documents.Maintenance;

/// <summary>
/// Makes the trees of a salvaged database agree. Documents that only the copied ids and collections know are recorded
/// as lost. Then both are rebuilt from the records, in the order of positions, with a bounded number per commit.
/// </summary>
internal sealed partial class DatabaseRebuild(
    StorageEnvironment storage,
    string name,
    TimeProvider time,
    Func<Guid>? newGuid,
    IProgress<MaintenanceProgress>? progress
)
{
    private const int Batch = 2_000;
    private readonly Dictionary<int, string> _names = [];
    private readonly Dictionary<string, long> _moved = new(StringComparer.Ordinal);
    private readonly HashSet<long> _lostPositions = [];
    private readonly DocumentBodies _bodies = new(name, compress: false);
    private int _numbers;
    private long _highest;

    public List<LostDocument> Lost { get; } = [];

    public List<string> Notes { get; } = [];

    public long Documents { get; private set; }

    public long Tombstones { get; private set; }

    public long LastPosition { get; private set; }

    public async Task RunAsync(CancellationToken ct)
    {
        ReadNames();
        FindLostByIds(ct);
        FindLostByCollections(ct);
        await DropDerivedAsync(ct).ConfigureAwait(false);
        byte[]? after = [];
        while (after is not null)
        {
            var from = after;
            after = await storage.WriteAsync(t => AddRecords(t, from), ct).ConfigureAwait(false);
            progress?.Report(new MaintenanceProgress("documents again", Documents + Tombstones, 0));
        }

        await storage.WriteAsync(DropLeftovers, ct).ConfigureAwait(false);
        await new RevisionRebuild(storage, name, CanDecode).RunAsync(Notes, ct).ConfigureAwait(false);
        await new AttachmentRebuild(storage, name).RunAsync(Notes, ct).ConfigureAwait(false);
        await new EventRebuild(storage, name).RunAsync(Notes, ct).ConfigureAwait(false);
        await storage.WriteAsync(WriteNames, ct).ConfigureAwait(false);
        var id = (newGuid?.Invoke() ?? Guid.CreateVersion7(time.GetUtcNow())).ToByteArray();
        await storage.WriteAsync(t => KeepId(t, id), ct).ConfigureAwait(false);
    }

    private void KeepId(WriteTransaction transaction, byte[] id)
    {
        var meta = transaction.CreateTree(DatabaseTrees.Meta);
        if (meta.Contains("database-id"u8))
            return;
        meta.Put("database-id"u8, id);
        Notes.Add(
            "the database's id is lost and it has a new one: change vectors and message ids differ from those before"
        );
    }

    private void ReadNames()
    {
        using var read = storage.BeginRead();
        if (!read.TryOpenTree(DatabaseTrees.Collections, out var tree))
            return;
        using var cursor = tree.OpenCursor();
        for (var more = cursor.SeekFirst(); more; more = cursor.MoveNext())
        {
            if (cursor.Key.Length == 5 && cursor.Key[0] == '#')
                _names[BinaryPrimitives.ReadInt32BigEndian(cursor.Key[1..])] = Encoding.UTF8.GetString(cursor.Value);
        }

        for (var more = cursor.SeekFirst(); more; more = cursor.MoveNext())
        {
            if (cursor.Key.Length > 1 && cursor.Key[0] == 'n' && cursor.Value.Length == 4)
            {
                _names.TryAdd(
                    BinaryPrimitives.ReadInt32LittleEndian(cursor.Value),
                    Encoding.UTF8.GetString(cursor.Key[1..])
                );
            }
        }

        _numbers = _names.Keys.Where(n => n is > 0 and < 1_000_000).DefaultIfEmpty().Max();
    }

    private void FindLostByIds(CancellationToken ct)
    {
        using var read = storage.BeginRead();
        if (!read.TryOpenTree(DatabaseTrees.Ids, out var ids))
            return;
        var documents = read.TryOpenTree(DatabaseTrees.Documents, out var found) ? found : null;
        Span<byte> key = stackalloc byte[DocumentKeys.PositionBytes];
        using var cursor = ids.OpenCursor();
        for (var more = cursor.SeekFirst(); more; more = cursor.MoveNext())
        {
            ct.ThrowIfCancellationRequested();
            if (
                cursor.Value.Length < IdEntry.FixedBytes
                || (cursor.Value.Length - IdEntry.FixedBytes) % IdEntry.FormerBytes != 0
            )
            {
                continue;
            }

            var entry = new IdEntry(cursor.Value, name);
            _highest = Math.Max(_highest, entry.Position);
            DocumentKeys.WritePosition(key, entry.Position);
            if (documents?.Contains(key) == true || !_lostPositions.Add(entry.Position) || entry.IsDeleted)
                continue;
            Lost.Add(
                new LostDocument(
                    Encoding.UTF8.GetString(cursor.Key),
                    entry.Position,
                    _names.GetValueOrDefault(entry.CollectionId)
                )
            );
        }
    }

    private void FindLostByCollections(CancellationToken ct)
    {
        using var read = storage.BeginRead();
        var documents = read.TryOpenTree(DatabaseTrees.Documents, out var found) ? found : null;
        foreach (var tree in DerivedTrees(read))
        {
            var live = tree.StartsWith("collection/", StringComparison.Ordinal);
            _ = int.TryParse(
                tree.AsSpan(tree.IndexOf('/', StringComparison.Ordinal) + 1),
                NumberStyles.None,
                CultureInfo.InvariantCulture,
                out var number
            );
            using var cursor = read.OpenTree(tree).OpenCursor();
            for (var more = cursor.SeekFirst(); more; more = cursor.MoveNext())
            {
                ct.ThrowIfCancellationRequested();
                if (cursor.Key.Length != DocumentKeys.PositionBytes)
                    continue;
                var position = DocumentKeys.ReadPosition(cursor.Key);
                _highest = Math.Max(_highest, position);
                if (live && documents?.Contains(cursor.Key) != true && _lostPositions.Add(position))
                    Lost.Add(new LostDocument(null, position, _names.GetValueOrDefault(number)));
            }
        }
    }

    private async Task DropDerivedAsync(CancellationToken ct)
    {
        await storage.WriteAsync(t => t.DropTree(DatabaseTrees.Ids), ct).ConfigureAwait(false);
        IReadOnlyList<string> trees;
        using (var read = storage.BeginRead())
            trees = [.. DerivedTrees(read)];
        foreach (var tree in trees)
            await storage.WriteAsync(t => t.DropTree(tree), ct).ConfigureAwait(false);
    }

    private static IEnumerable<string> DerivedTrees(Transaction transaction) =>
        transaction
            .TreeNames()
            .Where(t =>
                t.StartsWith("collection/", StringComparison.Ordinal)
                || t.StartsWith("tombstones/", StringComparison.Ordinal)
            );

    /// <summary>
    /// Removes the records that move a lost document to another collection, and keeps the last position.
    /// </summary>
    private void DropLeftovers(WriteTransaction transaction)
    {
        foreach ((var id, var _) in _moved)
        {
            var idKey = Encoding.UTF8.GetBytes(id);
            var ids = transaction.OpenTree(DatabaseTrees.Ids);
            if (!ids.TryGet(idKey, out var value))
                continue;
            var entry = new IdEntry(value, name);
            var gone = new List<(int Number, long Position)> { (entry.CollectionId, entry.Position) };
            for (var i = 0; i < entry.Formers.Length; i += IdEntry.FormerBytes)
            {
                gone.Add(
                    (
                        BinaryPrimitives.ReadInt32LittleEndian(entry.Formers[i..]),
                        BinaryPrimitives.ReadInt64LittleEndian(entry.Formers[(i + 4)..])
                    )
                );
            }

            foreach ((var number, var position) in gone)
            {
                var key = new byte[DocumentKeys.PositionBytes];
                DocumentKeys.WritePosition(key, position);
                transaction.OpenTree(DatabaseTrees.Documents).Delete(key);
                transaction.CreateTree(DatabaseTrees.Tombstones(number)).Delete(key);
                Tombstones--;
            }

            ids.Delete(idKey);
            if (!Lost.Exists(l => l.Id == id))
                Lost.Add(new LostDocument(id, 0, null));
        }

        var last = transaction.TryOpenTree(DatabaseTrees.Documents, out var documents)
            ? DatabasePositions.LastIn(documents)
            : 0;
        _highest = Math.Max(_highest, LastPosition);
        if (last < _highest)
            KeepLastPosition(transaction);
        LastPosition = _highest;
    }

    /// <summary>
    /// Writes a tombstone, of a document that never existed, at the highest known position, so that no position is
    /// given twice.
    /// </summary>
    private void KeepLastPosition(WriteTransaction transaction)
    {
        var number = _names.FirstOrDefault(n => n.Value == Document.EmptyCollection).Key;
        if (number == 0)
            _names[number = ++_numbers] = Document.EmptyCollection;
        var id = Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"salvage/{_highest}"));
        var key = new byte[DocumentKeys.PositionBytes];
        DocumentKeys.WritePosition(key, _highest);
        DocumentRecord.Write(
            transaction.CreateTree(DatabaseTrees.Documents).Reserve(key, DocumentRecord.Size(id.Length, 0)),
            DocumentRecord.Deleted,
            number,
            time.GetUtcNow().UtcTicks,
            id,
            default
        );
        transaction.CreateTree(DatabaseTrees.Live(number));
        transaction.CreateTree(DatabaseTrees.Tombstones(number)).Put(key, default);
        IdEntry.Write(
            transaction.CreateTree(DatabaseTrees.Ids).Reserve(id, IdEntry.FixedBytes),
            _highest,
            DocumentRecord.Deleted,
            number
        );
        Tombstones++;
        Notes.Add($"the tombstone 'salvage/{_highest}' keeps the last position, so that none is given again");
    }

    private void WriteNames(WriteTransaction transaction)
    {
        if (_numbers == 0)
            return;
        transaction.DropTree(DatabaseTrees.Collections);
        var tree = transaction.CreateTree(DatabaseTrees.Collections);
        Span<byte> nameKey = stackalloc byte[1 + DocumentKeys.MaxCollectionBytes * 3 / 2];
        Span<byte> numberKey = stackalloc byte[5];
        Span<byte> bytes = stackalloc byte[4];
        for (var number = 1; number <= _numbers; number++)
        {
            if (!_names.TryGetValue(number, out var collection))
            {
                collection = $"collection-{number}";
                Notes.Add($"the name of collection number {number} is lost; it is called '{collection}'");
            }

            BinaryPrimitives.WriteInt32LittleEndian(bytes, number);
            tree.Put(nameKey[..CollectionNames.NameKey(nameKey, collection)], bytes);
            CollectionNames.NumberKey(numberKey, number);
            tree.Put(numberKey, Encoding.UTF8.GetBytes(collection));
        }
    }
}
