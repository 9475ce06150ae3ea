using System.Collections.Concurrent;
using System.Threading.Channels;
using Pipeline.Storage;

namespace Pipeline.CrashTests.Storage.Replication;

/// <summary>A shared log whose decisions the test makes.</summary>
internal sealed class TestLog : ICommitLog
{
    private readonly Channel<long> _sent = Channel.CreateUnbounded<long>();
    private readonly ConcurrentDictionary<long, byte[]> _entries = new();

    public int MaxEntryBytes { get; set; } = 64 << 20;

    public bool Leads { get; set; } = true;

    /// <summary>The entries that were accepted, by transaction from 1 on.</summary>
    public List<byte[]> Accepted { get; } = [];

    public byte[] this[long transaction] => _entries[transaction];

    public void Send(long transaction, ReadOnlySpan<byte> entry)
    {
        _entries[transaction] = entry.ToArray();
        _sent.Writer.TryWrite(transaction);
    }

    /// <summary>Waits for the next entry.</summary>
    public ValueTask<long> NextAsync() => _sent.Reader.ReadAsync();

    /// <summary>Whether an entry was sent that nobody has waited for.</summary>
    public bool HasMore => _sent.Reader.TryPeek(out _);

    public void Accept(StorageEnvironment leader, long transaction)
    {
        for (var next = Accepted.Count + 1; next <= transaction; next++)
            Accepted.Add(_entries[next]);
        leader.Land(transaction, CommitOutcome.Accepted);
    }

    /// <summary>Accepts all that is sent until a task ends.</summary>
    public async Task AcceptUntilAsync(StorageEnvironment leader, Task task)
    {
        while (!task.IsCompleted)
        {
            var more = _sent.Reader.WaitToReadAsync().AsTask();
            await Task.WhenAny(task, more);
            while (_sent.Reader.TryRead(out var transaction))
                Accept(leader, transaction);
        }
        await task;
    }
}
