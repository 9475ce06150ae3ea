using System.Buffers;
using System.Buffers.Binary;
using System.Text;
using Pipeline.Json;
using Pipeline.Storage;

namespace Pipeline.Documents.Maintenance;

/// <summary>
/// Checks a database that no process has open, without changing it: first all of the storage, then that the database's
/// trees agree with each other: each id leads to its record and each record has its id, each is in its collection's
/// tree and in no other, collections and their numbers match, every document can be read to its end. Versions, events,
/// attachments, compare-exchange values and counters are checked in the same way.
/// </summary>
public static class DatabaseCheck
{
    /// <summary>Checks it.</summary>
    /// <param name="options">Where it lies.</param>
    /// <param name="progress">Told from time to time how far it is.</param>
    /// <param name="ct">Stops the check.</param>
    /// <returns>What was found.</returns>
    /// <exception cref="StoreInUseException">A process has it open.</exception>
    /// <exception cref="FileNotFoundException">There is none.</exception>
    public static DatabaseCheckReport Run(
        DocumentStorageOptions options,
        IProgress<MaintenanceProgress>? progress = null,
        CancellationToken ct = default
    )
    {
        ArgumentNullException.ThrowIfNull(options);
        using var store = OfflineStore.Open(options.Storage with { Path = options.Path, Files = options.Files });
        var pages = progress is null ? null : new PageProgress(progress);
        var storage = store.Check(pages, ct);
        var check = new Walker(store, options.Name, progress);
        check.Walk(ct);
        return new DatabaseCheckReport(
            storage,
            store.Notes,
            check.Documents,
            check.Tombstones,
            check.LastPosition,
            store.JournalBytes,
            check.Problems,
            check.ProblemCount
        );
    }

    private sealed class PageProgress(IProgress<MaintenanceProgress> progress) : IProgress<long>
    {
        public void Report(long value) => progress.Report(new MaintenanceProgress("pages", value, 0));
    }

    private sealed class Walker(OfflineStore store, string name, IProgress<MaintenanceProgress>? progress)
    {
        private readonly DocumentBodies _bodies = new(name, compress: false);
        private readonly Transaction _transaction = store.BeginRead();
        private const int MaxProblems = 1_000;
        private readonly Dictionary<int, (Tree? Live, Tree? Dead, long LiveSeen, long DeadSeen)> _collections = [];
        private readonly HashSet<int> _numbers = [];
        private readonly ArrayBufferWriter<byte> _text = new();
        private Tree? _documents;
        private Tree? _ids;
        private long _records;

        public List<DatabaseProblem> Problems { get; } = [];

        public long ProblemCount { get; private set; }

        public long Documents { get; private set; }

        public long Tombstones { get; private set; }

        public long LastPosition { get; private set; }

        public void Walk(CancellationToken ct)
        {
            _documents = store.OpenTree(DatabaseTrees.Documents);
            _ids = store.OpenTree(DatabaseTrees.Ids);
            new MetaCheck(store, name, Add).Walk(_documents is not null, ct);
            CheckCollections(ct);
            var whole = true;
            var total = _documents?.Count ?? 0;
            store.Scan(
                DatabaseTrees.Documents,
                (key, value) =>
                {
                    if (key.Length != DocumentKeys.PositionBytes)
                        Add(null, null, $"a key of tree 'documents' has {key.Length} bytes, not 8");
                    else
                        CheckRecord(DocumentKeys.ReadPosition(key), value);
                    if ((++_records & 4095) == 0)
                        progress?.Report(new MaintenanceProgress("documents", _records, total));
                },
                _ => whole = false,
                ct
            );
            long ids = 0;
            store.Scan(
                DatabaseTrees.Ids,
                (key, value) =>
                {
                    CheckId(key, value);
                    if ((++ids & 4095) == 0)
                        progress?.Report(new MaintenanceProgress("ids", ids, _ids?.Count ?? 0));
                },
                _ => { },
                ct
            );
            new CollectionCheck(store, name, _documents, Add).Walk(
                _collections.ToDictionary(c => c.Key, c => (c.Value.LiveSeen, c.Value.DeadSeen)),
                whole,
                ct
            );
            new RevisionCheck(store, name, _bodies, _transaction, Add).Walk(ct);
            new EventCheck(store, name, Add).Walk(ct);
            new AttachmentCheck(store, name, Add).Walk(ct);
        }

        private void CheckCollections(CancellationToken ct)
        {
            var names = new Dictionary<string, int>(StringComparer.Ordinal);
            var numbers = new Dictionary<int, string>();
            var whole = true;
            store.Scan(
                DatabaseTrees.Collections,
                (key, value) =>
                {
                    if (key.Length > 1 && key[0] == 'n' && value.Length == 4)
                    {
                        names[Encoding.UTF8.GetString(key[1..])] = BinaryPrimitives.ReadInt32LittleEndian(value);
                    }
                    else if (key.Length == 5 && key[0] == '#')
                    {
                        numbers[BinaryPrimitives.ReadInt32BigEndian(key[1..])] = Encoding.UTF8.GetString(value);
                    }
                    else
                    {
                        Add(
                            null,
                            null,
                            $"the entry {KeyRange.Show(key)} of tree 'collections' is neither a name nor a number"
                        );
                    }
                },
                _ => whole = false,
                ct
            );
            foreach ((var number, var collection) in numbers)
            {
                _numbers.Add(number);
                var lower = DocumentKeys.LowerPrefix(collection);
                if (whole && (!names.TryGetValue(Encoding.UTF8.GetString(lower), out var back) || back != number))
                {
                    Add(
                        null,
                        null,
                        $"collection number {number} is '{collection}', but that name does not lead to the number"
                    );
                }

                if (number < 1 || (whole && number > numbers.Count))
                    Add(null, null, $"collection '{collection}' has the number {number} of {numbers.Count}");
            }

            if (whole && names.Count != numbers.Count)
            {
                Add(
                    null,
                    null,
                    $"{names.Count} names of collections lead to numbers, {numbers.Count} numbers to names"
                );
            }
        }

        private void CheckRecord(long position, ReadOnlySpan<byte> bytes)
        {
            LastPosition = Math.Max(LastPosition, position);
            DocumentRecord record;
            try
            {
                record = new DocumentRecord(bytes, name);
            }
            catch (DatabaseCorruptException e)
            {
                Add(null, position, e.Reason);
                return;
            }

            var id = Encoding.UTF8.GetString(record.Id);
            if (position <= 0)
                Add(id, position, "positions begin at 1");
            if (record.IsDeleted)
                Tombstones++;
            else
                CheckBody(id, position, record);
            CheckMembership(id, position, record.CollectionId, record.IsDeleted);
            CheckOwnId(id, position, record);
        }

        private void CheckBody(string id, long position, scoped in DocumentRecord record)
        {
            try
            {
                _text.ResetWrittenCount();
                BinaryJson json = new(_bodies.ToArray(_transaction, record));
                if (json.Root.Kind != JsonKind.Object)
                    Add(id, position, "its body is not an object");
                json.WriteTo(_text);
                Documents++;
            }
            catch (BinaryJsonCorruptException e)
            {
                Add(id, position, $"its body cannot be read: {e.Message}");
            }
            catch (DatabaseCorruptException e)
            {
                Add(id, position, e.Reason);
            }
            catch (CorruptPageException e)
            {
                Add(id, position, $"its body cannot be read: page {e.Page} of tree 'dictionaries' is damaged");
            }
        }

        private void CheckMembership(string id, long position, int number, bool dead)
        {
            if (!_collections.TryGetValue(number, out var trees))
            {
                trees = (
                    store.OpenTree(DatabaseTrees.Live(number)),
                    store.OpenTree(DatabaseTrees.Tombstones(number)),
                    0,
                    0
                );
                if (!_numbers.Contains(number))
                    Add(id, position, $"its collection number {number} has no name");
            }

            _collections[number] = dead
                ? trees with
                {
                    DeadSeen = trees.DeadSeen + 1,
                }
                : trees with
                {
                    LiveSeen = trees.LiveSeen + 1,
                };
            Span<byte> key = stackalloc byte[DocumentKeys.PositionBytes];
            DocumentKeys.WritePosition(key, position);
            var tree = dead ? DatabaseTrees.Tombstones(number) : DatabaseTrees.Live(number);
            try
            {
                if ((dead ? trees.Dead : trees.Live)?.Contains(key) != true)
                    Add(id, position, $"it is missing in tree '{tree}'");
            }
            catch (CorruptPageException e)
            {
                Add(id, position, $"reading its collection skips it: page {e.Page} of tree '{tree}' is damaged");
            }
        }

        private void CheckOwnId(string id, long position, DocumentRecord record)
        {
            Span<byte> key = stackalloc byte[DocumentKeys.MaxKeyBytes];
            if (record.Id.Length is 0 or > DocumentKeys.MaxIdBytes)
            {
                Add(null, position, $"its id has {record.Id.Length} bytes");
                return;
            }

            key = key[..DocumentKeys.LowerKey(record.Id, key)];
            try
            {
                if (_ids is null || !_ids.TryGet(key, out var value))
                {
                    Add(id, position, "its id leads nowhere");
                    return;
                }

                var entry = new IdEntry(value, name);
                if (entry.Position == position)
                {
                    if (entry.IsDeleted != record.IsDeleted || entry.CollectionId != record.CollectionId)
                    {
                        Add(
                            id,
                            position,
                            "the entry of its id and its record disagree about the collection or about the deletion"
                        );
                    }

                    return;
                }

                for (var i = 0; i < entry.Formers.Length; i += IdEntry.FormerBytes)
                {
                    var former = entry.Formers[i..];
                    if (
                        BinaryPrimitives.ReadInt64LittleEndian(former[4..]) == position
                        && BinaryPrimitives.ReadInt32LittleEndian(former) == record.CollectionId
                    )
                    {
                        return;
                    }
                }

                Add(id, position, $"its id leads to position {entry.Position} instead");
            }
            catch (CorruptPageException e)
            {
                Add(id, position, $"it is not found by its id: page {e.Page} of tree 'ids' is damaged");
            }
            catch (DatabaseCorruptException e)
            {
                Add(id, position, e.Reason);
            }
        }

        private void CheckId(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
        {
            var id = Encoding.UTF8.GetString(key);
            long position = 0;
            try
            {
                var entry = new IdEntry(value, name);
                position = entry.Position;
                CheckTarget(id, key, position, entry.IsDeleted);
                if (entry.HasAttachments && !AttachmentCheck.HasAny(store, key))
                    Add(id, position, "its id says that it has attachments, and there are none");
                for (var i = 0; i < entry.Formers.Length; i += IdEntry.FormerBytes)
                {
                    CheckTarget(
                        id,
                        key,
                        position = BinaryPrimitives.ReadInt64LittleEndian(entry.Formers[(i + 4)..]),
                        deleted: true
                    );
                }
            }
            catch (CorruptPageException e)
            {
                Add(id, position, $"it cannot be read: page {e.Page} of tree 'documents' is damaged: {e.Reason}");
            }
            catch (DatabaseCorruptException e)
            {
                Add(id, null, e.Reason);
            }
        }

        private void CheckTarget(string id, ReadOnlySpan<byte> key, long position, bool deleted)
        {
            Span<byte> target = stackalloc byte[DocumentKeys.PositionBytes];
            DocumentKeys.WritePosition(target, position);
            if (_documents is null || !_documents.TryGet(target, out var bytes))
            {
                Add(id, position, "its id leads to this position, which has no record");
                return;
            }

            var record = new DocumentRecord(bytes, name);
            Span<byte> lower = stackalloc byte[DocumentKeys.MaxKeyBytes];
            if (
                record.Id.Length > DocumentKeys.MaxIdBytes
                || !lower[..DocumentKeys.LowerKey(record.Id, lower)].SequenceEqual(key)
            )
            {
                Add(
                    id,
                    position,
                    $"its id leads to this position, which holds '{DocumentKeys.Printable(Encoding.UTF8.GetString(record.Id))}'"
                );
            }
            else if (record.IsDeleted != deleted)
            {
                Add(
                    id,
                    position,
                    deleted
                        ? "its id says that it is deleted, its record that it is not"
                        : "its record says that it is deleted, its id that it is not"
                );
            }
        }

        private void Add(string? id, long? position, string reason)
        {
            ProblemCount++;
            if (Problems.Count < MaxProblems)
                Problems.Add(new DatabaseProblem(id, position, reason));
        }
    }
}
