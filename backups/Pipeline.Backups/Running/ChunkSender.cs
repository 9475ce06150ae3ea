using System.Threading.Channels;
using Pipeline.Backups.Chunks;

namespace Pipeline.Backups.Running;

/// <summary>
/// Names, compresses, encrypts and sends contents in parallel to all targets that lack them and have not failed. The
/// number of buffers bounds the memory: renting waits for a free one.
/// </summary>
internal sealed class ChunkSender : IAsyncDisposable
{
    private readonly IReadOnlyList<BackupTarget> _targets;
    private readonly DateTimeOffset _freshSince;
    private readonly Channel<(ChunkStream Stream, long Number, byte[] Content, int Length)> _work;
    private readonly Channel<byte[]> _buffers;
    private readonly YieldingProcessors _processors = new();
    private readonly CancellationTokenSource _stop;
    private readonly Task[] _workers;
    private long _done;

    /// <summary>Starts the workers.</summary>
    /// <param name="targets">The targets.</param>
    /// <param name="parallel">Contents processed at once.</param>
    /// <param name="freshSince">
    /// Existing chunks that no known backup needs are sent again if they are older than this, since they may be about
    /// to be removed.
    /// </param>
    /// <param name="ct">Cancels it.</param>
    public ChunkSender(
        IReadOnlyList<BackupTarget> targets,
        int parallel,
        DateTimeOffset freshSince,
        CancellationToken ct
    )
    {
        (_targets, _freshSince) = (targets, freshSince);
        _stop = CancellationTokenSource.CreateLinkedTokenSource(ct);
        _work = Channel.CreateUnbounded<(ChunkStream, long, byte[], int)>();
        _buffers = Channel.CreateUnbounded<byte[]>();
        for (var i = 0; i < parallel + 2; i++)
            _buffers.Writer.TryWrite(GC.AllocateUninitializedArray<byte>(ChunkFormat.MaxContentBytes));
        _workers = [.. Enumerable.Range(0, parallel).Select(_ => Task.Run(WorkAsync, CancellationToken.None))];
    }

    /// <summary>Bytes of contents processed.</summary>
    public long DoneBytes => Interlocked.Read(ref _done);

    /// <summary>Called after each content, by several threads. Set it before the first content.</summary>
    public Action? Processed { get; set; }

    /// <summary>Rents a buffer for a content; blocks until one is free.</summary>
    public byte[] Rent() =>
        _buffers.Reader.TryRead(out var buffer)
            ? buffer
            : _buffers.Reader.ReadAsync(_stop.Token).AsTask().GetAwaiter().GetResult();

    /// <summary>Rents a buffer for a content, once one is free.</summary>
    public ValueTask<byte[]> RentAsync() => _buffers.Reader.ReadAsync(_stop.Token);

    /// <summary>Queues a content in a rented buffer.</summary>
    public void Send(ChunkStream stream, long number, byte[] content, int length)
    {
        _stop.Token.ThrowIfCancellationRequested();
        if (!_work.Writer.TryWrite((stream, number, content, length)))
            throw new InvalidOperationException("The sender has ended.");
    }

    /// <summary>Returns an unused buffer.</summary>
    public void Return(byte[] buffer) => _buffers.Writer.TryWrite(buffer);

    /// <summary>Waits until everything is sent, or every target has failed.</summary>
    public async Task CompleteAsync()
    {
        _work.Writer.TryComplete();
        await Task.WhenAll(_workers).ConfigureAwait(false);
    }

    /// <summary>Throws the error that ended a worker, unless it was cancelled.</summary>
    public async Task ThrowFaultAsync()
    {
        _work.Writer.TryComplete();
        await Task.WhenAll(_workers).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (_workers.FirstOrDefault(w => w.IsFaulted) is { } faulted)
            await faulted.ConfigureAwait(false);
    }

    public async ValueTask DisposeAsync()
    {
        _work.Writer.TryComplete();
        await _stop.CancelAsync().ConfigureAwait(false);
        await Task.WhenAll(_workers).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
        _processors.Dispose();
    }

    private async Task WorkAsync()
    {
        var chunk = GC.AllocateUninitializedArray<byte>(ChunkFormat.MaxChunkBytes(ChunkFormat.MaxContentBytes));
        try
        {
            await foreach (
                var (stream, number, content, length) in _work.Reader.ReadAllAsync(_stop.Token).ConfigureAwait(false)
            )
            {
                if (!_targets.Any(t => t.Error is null))
                    throw new OperationCanceledException("No destination is left.");
                await SendAsync(stream, number, content.AsMemory(0, length), chunk).ConfigureAwait(false);
                Interlocked.Add(ref _done, length);
                Return(content);
                Processed?.Invoke();
            }
        }
        catch
        {
            await _stop.CancelAsync().ConfigureAwait(false);
            throw;
        }
    }

    private async Task SendAsync(ChunkStream stream, long number, ReadOnlyMemory<byte> content, byte[] chunk)
    {
        // All repositories without encryption share its name and bytes.
        ChunkId? plain = null;
        int? encoded = null;
        foreach (var target in _targets.Where(t => t.Error is null).OrderBy(t => t.Repository.Format.IsEncrypted))
        {
            var format = target.Repository.Format;
            try
            {
                ChunkId id;
                if (!format.IsEncrypted && plain is { } known)
                    id = known;
                else
                    id = await _processors.RunAsync(() => format.NameOf(content.Span)).ConfigureAwait(false);
                if (!format.IsEncrypted)
                    plain = id;
                var stored = await target.FindAsync(id, _freshSince, _stop.Token).ConfigureAwait(false);
                if (stored is null)
                {
                    if (format.IsEncrypted || encoded is null)
                    {
                        encoded = await _processors
                            .RunAsync(() => format.Encode(id, content.Span, chunk))
                            .ConfigureAwait(false);
                    }

                    stored = encoded;
                    await target.SendAsync(id, chunk.AsMemory(0, encoded.Value), _stop.Token).ConfigureAwait(false);
                }
                target.Add(stream, new ChunkEntry(number, id, content.Length, stored.Value));
            }
            catch (Exception e) when (e is BackupException or IOException or UnauthorizedAccessException)
            {
                target.Fail(e);
            }
        }
    }
}
