using System.Buffers.Binary;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>
/// Builds a node's stores from the frames of a <see cref="CopySource"/>. The first frame empties the folder. The node's
/// store appears only at the last frame: whole, verified and durable, with its own id and data key. Until then the
/// folder cannot be opened, and a new copy starts from the beginning. Not thread-safe.
/// </summary>
/// <param name="options">The node's store: folder, files and key.</param>
internal sealed class CopyTarget(StorageOptions options) : IDisposable
{
    private StoreRestore? _main;
    private StoreRestore? _current;
    private bool _hasLog;
    private uint _frame;
    private ReadPosition? _position;

    /// <summary>Whether the copy is complete.</summary>
    public bool IsComplete { get; private set; }

    /// <summary>The number of used pages of the stores that have begun.</summary>
    public long Pages { get; private set; }

    /// <summary>Where the node continues in the log, once its store was received.</summary>
    public ReadPosition? Position => _position;

    /// <summary>Takes the next frame.</summary>
    /// <exception cref="CopyDamagedException">This frame cannot come next.</exception>
    /// <exception cref="CopyFailedException">The sender cannot complete the copy.</exception>
    /// <exception cref="StorageException">
    /// A page or transaction is damaged, or the folder cannot be written.
    /// </exception>
    public void Take(CopyFrameKind kind, ReadOnlySpan<byte> payload)
    {
        switch (kind)
        {
            case CopyFrameKind.Begin when _main is null && !IsComplete && payload.Length == 4:
                Begin(BinaryPrimitives.ReadInt32LittleEndian(payload));
                break;
            case CopyFrameKind.Store when _main is not null && _current is null && _position is null:
                BeginStore(payload);
                break;
            case CopyFrameKind.Part when _current is not null && !_hasLog && payload.Length >= 8:
                _current.AddPart(BinaryPrimitives.ReadInt64LittleEndian(payload), payload[8..]);
                break;
            case CopyFrameKind.Log
                when _current is not null && !_hasLog && payload.Length == Storage.LogState.Bytes + 1:
                _current.BeginLog(Storage.LogState.Read(payload), payload[^1] != 0);
                _hasLog = true;
                break;
            case CopyFrameKind.Transaction when _hasLog && payload.Length >= Storage.LogState.Bytes + 4:
                _current!.Apply(
                    Storage.LogState.Read(payload),
                    BinaryPrimitives.ReadInt32LittleEndian(payload[Storage.LogState.Bytes..]),
                    payload[(Storage.LogState.Bytes + 4)..]
                );
                break;
            case CopyFrameKind.StoreEnd when _hasLog && payload.Length >= Storage.LogState.Bytes:
                EndStore(payload);
                break;
            case CopyFrameKind.Failed:
                throw new CopyFailedException(Encoding.UTF8.GetString(payload));
            case CopyFrameKind.End when _position is not null && _current is null:
                Complete();
                break;
            default:
                throw Wrong($"a frame of kind {(int)kind} and {payload.Length} bytes cannot come here");
        }
        _frame++;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_current != _main)
            _current?.Dispose();
        if (_main is not null)
        {
            _main.Dispose();
            // The folder must not look like that of a new node.
            StoreFolder.MarkUnfinished(options);
        }
        _main = _current = null;
    }

    private void Begin(int format)
    {
        if (format != CopySource.Format)
        {
            throw Wrong($"it has format {format}, and this program reads {CopySource.Format}: upgrade this node first");
        }

        StoreFolder.Empty(options);
        _main = new StoreRestore(options);
    }

    private void BeginStore(ReadOnlySpan<byte> payload)
    {
        if (payload.Length < 8)
            throw Wrong("it names no store");
        var folder = Encoding.UTF8.GetString(payload[8..]);
        if (folder.Length == 0)
        {
            _current = _main;
        }
        else if (CopiedStore.IsFolder(folder))
        {
            // Each node maintains its indexes by itself; they have no shared log.
            var index = options with
            {
                Path = Path.Combine(options.Path!, folder),
                JournalPath = null,
                IsReplica = false,
                KeepsLife = false,
            };
            StoreFolder.Empty(index);
            _current = new StoreRestore(index);
        }
        else
        {
            throw Wrong($"'{folder}' is not a folder of a node");
        }

        _hasLog = false;
        Pages += BinaryPrimitives.ReadInt64LittleEndian(payload);
    }

    private void EndStore(ReadOnlySpan<byte> payload)
    {
        var expected = Storage.LogState.Read(payload);
        var state = _current!.State;
        if (state.Transaction != expected.Transaction || state.Chain != expected.Chain)
        {
            throw Wrong(
                $"the store ends with transaction {state.Transaction}, and {expected.Transaction} was expected"
            );
        }

        if (_current == _main)
        {
            if (payload.Length != Storage.LogState.Bytes + ReadPosition.Bytes)
                throw Wrong("it has no place in the log");
            var position = ReadPosition.Read(payload[Storage.LogState.Bytes..]);
            // A later place would make the node skip transactions.
            if (position.State.Transaction > state.Transaction + 1 || position.State.Part != 0)
            {
                throw Wrong(
                    $"its place in the log is before transaction {position.State.Transaction}, and its pages end with {state.Transaction}"
                );
            }

            _position = position;
        }
        else
        {
            _current.Complete();
            _current.Dispose();
        }

        (_current, _hasLog) = (null, false);
    }

    /// <summary>Makes the position durable before its store appears.</summary>
    private void Complete()
    {
        using (var file = PositionFile.Open(StoreFolder.FilesOf(options), options.Path!))
            file.Save(_position!.Value);
        _main!.Complete();
        _main.Dispose();
        _main = null;
        IsComplete = true;
    }

    private CopyDamagedException Wrong(string reason) => new(_frame, reason);
}
