using System.Text;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Cluster.Tests.Store;

/// <summary>Compression dictionaries of a leader that is deposed before the log accepts them.</summary>
public sealed class DictionaryTests
{
    private const string Tree = "dictionaries";

    [Fact]
    public async Task A_dictionary_that_was_not_accepted_is_not_taken_for_the_next_leaders()
    {
        if (!Zstd.IsAvailable)
            return;
        using var first = Open();
        using var second = Open();
        var (firsts, seconds) = (new ValueDictionaries(Tree), new ValueDictionaries(Tree));
        first.RoleChanged += role =>
        {
            if (role == StorageRole.Follower)
                firsts.Forget();
        };
        var log = new EntryLog();
        first.Lead(log);
        var lost = first.WriteAsync(t => Fill(t, firsts, 1));
        await log.Sent.Task;
        first.Land(log.Transaction, CommitOutcome.Refused);
        await Assert.ThrowsAsync<NotAcceptedException>(() => lost);

        var next = new EntryLog();
        second.Lead(next);
        var kept = second.WriteAsync(t => Fill(t, seconds, 2));
        await next.Sent.Task;
        second.Land(next.Transaction, CommitOutcome.Accepted);
        var stored = await kept;
        first.Apply(next.Entry);

        using var snapshot = first.BeginRead();
        var value = new byte[ValueDictionaries.DecodedLength(stored)];
        firsts.Decode(snapshot, 1, stored, value);
        Assert.Equal(Value(2, 3000), value);
        Assert.True(stored[0] > 1, "the value was stored without a dictionary");
    }

    /// <summary>Encodes values until there is a dictionary.</summary>
    /// <returns>The stored form of the last value.</returns>
    private static byte[] Fill(WriteTransaction transaction, ValueDictionaries dictionaries, int kind)
    {
        byte[] stored = [];
        for (var i = 0; i <= 3000; i++)
            stored = dictionaries.Encode(transaction, 1, Value(kind, i)).ToArray();
        transaction.CreateTree("values").Put("last"u8, stored);
        return stored;
    }

    private static byte[] Value(int kind, int number)
    {
        var random = new Random((kind * 100_000) + number);
        var text = new StringBuilder();
        for (var i = 0; i < 12; i++)
            text.Append(kind == 1 ? "customer-name:" : "SHIPPING_ADDRESS=").Append(random.Next(1000)).Append(';');
        return Encoding.UTF8.GetBytes(text.ToString());
    }

    private static StorageEnvironment Open() => StorageEnvironment.Open(new StorageOptions { IsReplica = true });

    private sealed class EntryLog : ICommitLog
    {
        public TaskCompletionSource Sent { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public long Transaction { get; private set; }

        public byte[] Entry { get; private set; } = [];

        public int MaxEntryBytes => 64 << 20;

        public bool Leads => true;

        public void Send(long transaction, ReadOnlySpan<byte> entry)
        {
            (Transaction, Entry) = (transaction, entry.ToArray());
            Sent.SetResult();
        }
    }
}
