using System.Buffers.Binary;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Pipeline.Etl.Records;
using Pipeline.Scripting;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>
/// Tracks which documents a task's transform loaded for which others, so that a change of a loaded document resends
/// those. Used only by the reader.
/// </summary>
/// <remarks>
/// Kept in private states that commit with the position of the batch they come from: <see cref="EtlTaskKeys.Loads"/>
/// (document to ids) and
/// <see cref="EtlTaskKeys.LoadedBy"/> (id to documents). States that are not yet durable are in memory. A run's loads
/// count only for its own document, and the loads of a loaded document are ignored. So a change is followed for one
/// step and cannot cause a chain of changes.
/// </remarks>
internal sealed class LoadDependencies(string task) : IScriptDocuments
{
    /// <summary>The maximum number of documents that one run may load if loads are tracked.</summary>
    public const int MaxFollowed = 1024;

    private const int PageSize = 1024;
    private readonly List<LoadedDocuments> _pending = [];
    private readonly HashSet<string> _loaded = new(StringComparer.Ordinal);
    private LoadedDocuments _current = new();
    private IFeedSnapshot? _snapshot;

    /// <summary>The position of the change whose dependents are being resent, and the last dependent that was resent;
    /// <see langword="null"/> between changes.</summary>
    public (long Position, string After)? Underway { get; set; }

    private string UnderwayKey => EtlTaskKeys.LoadsUnderway(task);

    /// <inheritdoc/>
    public bool TryLoad(string id, out ScriptDocument document)
    {
        if (_loaded.Count >= MaxFollowed && !_loaded.Contains(Key(id)))
        {
            throw new ScriptLimitException(
                "loads followed by 'dependsOn'",
                MaxFollowed.ToString(CultureInfo.InvariantCulture)
            );
        }

        _loaded.Add(Key(id));
        return _snapshot!.TryLoad(id, out document);
    }

    /// <inheritdoc/>
    public ScriptAttachment? LoadAttachment(string id, string name, int maxBytes) =>
        _snapshot!.LoadAttachment(id, name, maxBytes);

    /// <inheritdoc/>
    public bool IsStoreFailure(Exception error) => _snapshot!.IsStoreFailure(error);

    /// <summary>Restores the resending that was in progress when the task ended.</summary>
    public void Continue(IFeedSnapshot snapshot)
    {
        if (snapshot.GetState(UnderwayKey) is { Length: > sizeof(long) } bytes)
        {
            Underway = (
                BinaryPrimitives.ReadInt64LittleEndian(bytes),
                Encoding.UTF8.GetString(bytes.AsSpan(sizeof(long)))
            );
        }
    }

    /// <summary>Drops what the next snapshot contains. Must be called before that snapshot is opened.</summary>
    public void DropDurable() => _pending.RemoveAll(p => p.IsDurable);

    /// <summary>Begins a batch over a snapshot.</summary>
    public void Begin(IFeedSnapshot snapshot, PreparedBatch batch)
    {
        _snapshot = snapshot;
        batch.Loads = _current = new LoadedDocuments();
        _pending.Add(_current);
        _loaded.Clear();
    }

    /// <summary>Begins a run.</summary>
    public void Clear() => _loaded.Clear();

    /// <summary>Records what the run over a document has loaded. A deletion records nothing.</summary>
    public void Keep(in ScriptDocument document)
    {
        if (document.IsDeleted || _loaded.Count == 0)
        {
            Forget(document.Id);
        }
        else
        {
            _current.Put(
                Hash(Key(document.Id)),
                new LoadedBy(document.Id, _snapshot!.LastPosition, _loaded.ToHashSet(StringComparer.Ordinal))
            );
        }

        _loaded.Clear();
    }

    /// <summary>Forgets a document that was deleted or that the task no longer takes.</summary>
    public void Forget(string id)
    {
        var key = Hash(Key(id));
        if (Find(key, id, null).Loaded.Count > 0)
            _current.Put(key, LoadedBy.Nothing(id));
    }

    /// <summary>The documents to resend for the change of one: those that loaded it before the change. The order is
    /// fixed, and each key can be passed as
    /// <paramref name="after"/> to resume.</summary>
    public IEnumerable<(string Key, string Id)> DependentsOf(string id, long position, string after)
    {
        string loaded = Key(id),
            prefix = LoadedKey(loaded);
        while (true)
        {
            var page = new SortedDictionary<string, string>(StringComparer.Ordinal);
            foreach ((var state, var value) in _snapshot!.GetStates(prefix, prefix + after).Take(PageSize))
                page[state[prefix.Length..]] = Encoding.UTF8.GetString(value);
            var isLast = page.Count < PageSize;
            var end = isLast ? "" : page.Keys.Last();
            foreach (var pending in _pending)
            {
                foreach (var key in pending.KeysThatLoaded(loaded))
                {
                    if (string.CompareOrdinal(key, after) > 0 && (isLast || string.CompareOrdinal(key, end) <= 0))
                        page[key] = pending.ByDocument[key].DocumentId;
                }
            }

            foreach ((var key, var document) in page)
            {
                var by = Find(key, document, null);
                if (by.Through < position && by.Loaded.Contains(loaded))
                    yield return (key, document);
            }

            if (isLast)
                yield break;
            after = end;
        }
    }

    /// <summary>Ends a batch and adds the states to store to its effects.</summary>
    public void End(PreparedBatch batch)
    {
        var states = new List<KeyValuePair<string, ReadOnlyMemory<byte>>>(batch.Effects.States);
        foreach ((var key, var now) in _current.ByDocument)
        {
            var before = Find(key, now.DocumentId, _current);
            states.Add(new(LoadsKey(key), now.Loaded.Count == 0 ? default : now.ToBytes()));
            foreach (var id in before.Loaded.Where(b => !now.Loaded.Contains(b)))
                states.Add(new(LoadedKey(id) + key, default));
            foreach (var id in now.Loaded.Where(n => !before.Loaded.Contains(n)))
                states.Add(new(LoadedKey(id) + key, Encoding.UTF8.GetBytes(now.DocumentId)));
        }

        if (Underway is var (position, after))
        {
            var at = new byte[sizeof(long) + after.Length];
            BinaryPrimitives.WriteInt64LittleEndian(at, position);
            Encoding.UTF8.GetBytes(after, at.AsSpan(sizeof(long)));
            states.Add(new(UnderwayKey, at));
        }
        else if (_snapshot!.GetState(UnderwayKey) is not null)
        {
            states.Add(new(UnderwayKey, default));
        }

        if (states.Count > 0)
            batch.Effects = batch.Effects with { States = states };
        _snapshot = null;
    }

    /// <summary>The last run over a document, except those of one batch.</summary>
    private LoadedBy Find(string key, string id, LoadedDocuments? without)
    {
        for (var i = _pending.Count - 1; i >= 0; i--)
        {
            if (_pending[i] != without && _pending[i].ByDocument.TryGetValue(key, out var found))
                return found;
        }

        return _snapshot!.GetState(LoadsKey(key)) is { } bytes ? LoadedBy.Parse(id, bytes) : LoadedBy.Nothing(id);
    }

    private string LoadsKey(string document) => EtlTaskKeys.Loads(task) + document;

    private string LoadedKey(string id) => $"{EtlTaskKeys.LoadedBy(task)}{Hash(id)}/";

    private static string Key(string id) => id.ToUpperInvariant();

    // Keys of states must be short; ids can be long.
    private static string Hash(string key) =>
        Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(key)).AsSpan(0, 16));
}
