using System.Threading.Channels;

namespace Pipeline.Cluster;

/// <summary>
/// A log in a folder, for trying a cluster of processes on one machine. It has one copy on one disk, so it survives the
/// crash of a process and a power cut, but not the loss of the disk or machine. Processes take turns by a file lock.
/// </summary>
/// <remarks>README.md in this folder describes the files and what a crash leaves.</remarks>
public sealed class DirectoryLog : ISharedLog
{
    /// <summary>The maximum number of records that one sync makes durable.</summary>
    internal const int MaxRecordsPerSync = 64;

    /// <summary>How long a waiting reader sees nothing before it looks for a record that was never published.</summary>
    private static readonly TimeSpan TailLook = TimeSpan.FromMilliseconds(50);

    private readonly DirectoryLogOptions _options;
    private readonly DirectoryLogFolder _folder;
    private readonly SegmentReader _reader;
    private readonly Channel<Append> _appends = Channel.CreateUnbounded<Append>(
        new UnboundedChannelOptions { SingleReader = true }
    );
    private readonly SemaphoreSlim _reading = new(1);
    private readonly Task _appending;

    private DirectoryLog(DirectoryLogFolder folder, DirectoryLogOptions options)
    {
        (_folder, _options) = (folder, options);
        _reader = new SegmentReader(folder, options.MaxRecordBytes);
        _appending = Task.Run(AppendQueuedAsync);
    }

    /// <inheritdoc/>
    public string Name => _folder.Path;

    /// <inheritdoc/>
    public int MaxRecordBytes => _options.MaxRecordBytes;

    /// <summary>
    /// Opens a folder as a log, and creates the log if the folder is missing or empty. Any number of processes of this
    /// machine may have it open.
    /// </summary>
    /// <param name="folder">A folder of a local disk.</param>
    /// <param name="options">Sizes and waits.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="DirectoryLogRefusedException">
    /// The folder holds something else, belongs to another machine, or is on a file system that several machines may
    /// share.
    /// </exception>
    public static async Task<DirectoryLog> OpenAsync(
        string folder,
        DirectoryLogOptions? options = null,
        CancellationToken cancellationToken = default
    )
    {
        options ??= new DirectoryLogOptions();
        var opened = new DirectoryLogFolder(folder, options);
        using (await opened.LockAsync(cancellationToken).ConfigureAwait(false))
        {
            opened.Verify();
            new SegmentWriter(opened, options).Recover();
        }
        return new DirectoryLog(opened, options);
    }

    /// <inheritdoc/>
    public async ValueTask<AppendAnswer> AppendAsync(
        ReadOnlyMemory<byte> record,
        long expected,
        CancellationToken cancellationToken = default
    )
    {
        if (record.Length is 0 || record.Length > MaxRecordBytes)
            throw new RecordTooLargeException(Name, record.Length, MaxRecordBytes);
        var append = new Append(
            record,
            expected,
            new TaskCompletionSource<AppendAnswer>(TaskCreationOptions.RunContinuationsAsynchronously)
        );
        ObjectDisposedException.ThrowIf(!_appends.Writer.TryWrite(append), this);
        try
        {
            return await append.Answer.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException cancelled)
        {
            return AppendAnswer.Unknown(cancelled);
        }
    }

    /// <inheritdoc/>
    public async ValueTask<LogBatch> ReadAsync(
        long from,
        int maxBytes,
        TimeSpan wait,
        CancellationToken cancellationToken = default
    )
    {
        var began = _options.Time.GetTimestamp();
        var looked = began;
        while (true)
        {
            await _reading.WaitAsync(cancellationToken).ConfigureAwait(false);
            try
            {
                var batch = _reader.Read(from, maxBytes);
                if (batch.Records.Count > 0 || _options.Time.GetElapsedTime(began) >= wait)
                    return batch;
                if (_options.Time.GetElapsedTime(looked) >= TailLook)
                {
                    looked = _options.Time.GetTimestamp();
                    PublishTail();
                }
            }
            finally
            {
                _reading.Release();
            }
            await Task.Delay(_options.PollInterval, _options.Time, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <inheritdoc/>
    public ValueTask<LogBounds> GetBoundsAsync(CancellationToken cancellationToken = default)
    {
        var end = _folder.ReadEnd();
        return ValueTask.FromResult(new LogBounds(end.First, end.End));
    }

    /// <inheritdoc/>
    public async ValueTask TrimAsync(long before, CancellationToken cancellationToken = default)
    {
        using (await _folder.LockAsync(cancellationToken).ConfigureAwait(false))
            new SegmentWriter(_folder, _options).Trim(before);
    }

    /// <summary>Waits for the appends that were begun, and closes the files.</summary>
    public async ValueTask DisposeAsync()
    {
        _appends.Writer.TryComplete();
        await _appending.ConfigureAwait(false);
        await _reading.WaitAsync().ConfigureAwait(false);
        _reader.Dispose();
        _reading.Release();
    }

    /// <summary>
    /// Publishes records of a process that ended during an append. Otherwise readers would see them only at the next
    /// append, and would consider the leader silent until then.
    /// </summary>
    private void PublishTail()
    {
        if (!_folder.HasTail() || !_folder.TryLock(out var held, out _))
            return;
        using (held)
            new SegmentWriter(_folder, _options).Recover();
    }

    private async Task AppendQueuedAsync()
    {
        var group = new List<Append>();
        while (await _appends.Reader.WaitToReadAsync().ConfigureAwait(false))
        {
            group.Clear();
            while (group.Count < MaxRecordsPerSync && _appends.Reader.TryRead(out var append))
                group.Add(append);
            var answers = await AppendGroupAsync(group).ConfigureAwait(false);
            for (var i = 0; i < group.Count; i++)
                group[i].Answer.SetResult(answers[i]);
        }
    }

    private async Task<AppendAnswer[]> AppendGroupAsync(List<Append> group)
    {
        var answers = new AppendAnswer[group.Count];
        try
        {
            using (await _folder.LockAsync(CancellationToken.None).ConfigureAwait(false))
                new SegmentWriter(_folder, _options).Append(group, answers);
        }
        catch (Exception failure)
        {
            // Every caller gets an answer, whatever went wrong.
            Array.Fill(answers, AppendAnswer.Unknown(failure));
        }
        return answers;
    }

    internal sealed record Append(
        ReadOnlyMemory<byte> Record,
        long Expected,
        TaskCompletionSource<AppendAnswer> Answer
    );
}
