using Pipeline.Documents;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Cluster.Tests.Database;

/// <summary>Three nodes with databases over one log.</summary>
internal sealed class DatabaseCluster : IAsyncDisposable
{
    private readonly List<DatabaseMember> _members = [];

    /// <param name="log">The log.</param>
    /// <param name="fault">What the second node leaves stale.</param>
    public DatabaseCluster(ISharedLog log, StaleCache fault = StaleCache.None)
    {
        for (var i = 1; i <= 3; i++)
            _members.Add(new DatabaseMember($"n{i}", log, i == 2 ? fault : StaleCache.None));
    }

    public IReadOnlyList<DatabaseMember> Members => _members;

    public async Task<DatabaseMember> LeaderAsync(CancellationToken ct)
    {
        while (true)
        {
            if (_members.Find(m => m.Database.Leads && m.Driver.Status.TakesWrites) is { } leader)
                return leader;
            try
            {
                if (_members.Find(m => m.Driver.Status.TakesWrites) is { } next)
                    await next.Database.ReadyToWriteAsync(ct);
                else
                    await Task.WhenAny(_members.Select(m => m.Driver.WaitAsync(s => s.TakesWrites, ct)));
            }
            catch (NotLeaderException)
            {
                await Task.Yield();
            }
            if (ct.IsCancellationRequested)
                throw new TimeoutException("No node leads: " + string.Join("\n", _members.Select(m => m.State)));
        }
    }

    /// <summary>Runs an operation at whichever node leads, again until it is known what became of it.</summary>
    /// <returns>The result, or default and false if the log may or may not have it.</returns>
    public async Task<(T? Result, bool IsKnown)> TryAsync<T>(
        Func<DatabaseMember, Task<T>> operation,
        CancellationToken ct
    )
    {
        while (true)
        {
            var leader = await LeaderAsync(ct);
            try
            {
                return (await operation(leader), true);
            }
            catch (NotAcceptedException e) when (e.Outcome == CommitOutcome.Unknown)
            {
                return (default, false);
            }
            catch (Exception e) when (e is NotLeaderException or NotAcceptedException)
            {
                await Task.Yield();
            }
            catch (ObjectDisposedException)
            {
                // The node was restarted.
                return (default, false);
            }
        }
    }

    /// <summary>As <see cref="TryAsync"/>, until the operation is acknowledged; it must do no harm twice.</summary>
    public async Task<T> DoAsync<T>(Func<DatabaseMember, Task<T>> operation, CancellationToken ct)
    {
        while (true)
        {
            (var result, var known) = await TryAsync(operation, ct);
            if (known)
                return result!;
        }
    }

    /// <summary>Hands over to the next node. Nobody may wait for it: another change of leader may come first.</summary>
    public async Task<bool> HandOverAsync(Random random, CancellationToken ct)
    {
        var leader = await LeaderAsync(ct);
        var others = _members.Where(m => m != leader).ToList();
        var next = others[random.Next(others.Count)];
        return await leader.Driver.HandOverAsync(next.Name, ct);
    }

    /// <summary>
    /// Ends the log, and has all nodes go on in an empty one, which any of them begins; none is filled. Nobody may write.
    /// </summary>
    public async Task MoveAsync(ISharedLog next, Random random, CancellationToken ct)
    {
        Assert.True(await DoAsync(m => m.Driver.EndLogAsync(next.Name, ct), ct));
        foreach (var member in _members)
        {
            await member.Driver.WaitAsync(s => s.HasEnded, ct);
            await member.StopAsync();
        }
        var begins = _members[random.Next(_members.Count)];
        var first = await LogBeginning.WriteAsync(begins.Store, next, begins.Name, ct);
        // Once more, as after a crash before the position was kept.
        Assert.Equal(first, await LogBeginning.WriteAsync(begins.Store, next, begins.Name, ct));
        foreach (var member in _members)
        {
            Assert.Equal(RefillNeed.None, await Refills.FindNeedAsync(member.Store, next, ct));
            member.OpenOn(next);
        }
    }

    /// <summary>
    /// Waits until all nodes have what the leader has, and compares their pages and their answers. Nobody may write.
    /// </summary>
    public async Task CompareAsync(CancellationToken ct)
    {
        // All before it is landed then, and every node that has it has all.
        var position = await DoAsync(
            m => m.Database.WriteAsync(t => t.Put("marks/compare", "{}"u8.ToArray()).Position, ct),
            ct
        );
        foreach (var member in _members)
            await member.Database.WaitForPositionAsync(position, ct);
        // The leader lists a definition of an index while it is being written; a difference that stays is a fault.
        for (var attempt = 1; ; attempt++)
        {
            ct.ThrowIfCancellationRequested();
            try
            {
                if (await TryCompareAsync(position, ct))
                    return;
            }
            catch (Xunit.Sdk.EqualException) when (attempt < 10)
            {
                await Task.Delay(TimeSpan.FromMilliseconds(100), ct);
            }
        }
    }

    /// <summary>
    /// Compares at one transaction; false if the leader went on by itself meanwhile, as when documents expire.
    /// </summary>
    private async Task<bool> TryCompareAsync(long position, CancellationToken ct)
    {
        await Task.WhenAll(_members.Select(m => LevelAsync(m, ct)));
        var transaction = _members[0].Database.Storage.LastCommittedTransaction;
        using (var first = _members[0].Database.Storage.BeginRead())
        {
            foreach (var member in _members.Skip(1))
            {
                using var other = member.Database.Storage.BeginRead();
                if (first.Id != transaction || other.Id != transaction)
                    return false;
                Assert.Null(StoreEquality.FindDifference(first, other));
            }
        }

        var answers = await Task.WhenAll(_members.Select(m => DatabaseAnswers.OfAsync(m, position, ct)));
        if (_members.Exists(m => m.Database.Storage.LastCommittedTransaction != transaction))
            return false;
        Assert.Equal(answers[0], answers[1]);
        Assert.Equal(answers[0], answers[2]);
        return true;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var member in _members)
            await member.DisposeAsync();
    }

    /// <summary>What leaders write by themselves may follow the last position.</summary>
    private async Task LevelAsync(DatabaseMember member, CancellationToken ct)
    {
        var most = _members.Max(m => m.Database.Storage.LastCommittedTransaction);
        while (member.Database.Storage.LastCommittedTransaction < most)
        {
            ct.ThrowIfCancellationRequested();
            await Task.Yield();
        }
        await member.Database.Indexes.WhenFollowedAsync();
    }
}
