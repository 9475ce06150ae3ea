using System.Runtime.CompilerServices;

namespace Pipeline.Backups.Destinations;

/// <summary>Retries transient failures.</summary>
internal sealed class RetryingDestination(IBackupDestination inner, int retries, TimeSpan delay, TimeProvider time)
    : IBackupDestination
{
    public string Description => inner.Description;

    public Task PutAsync(string name, ReadOnlyMemory<byte> bytes, CancellationToken ct) =>
        TryAsync(
            async () =>
            {
                await inner.PutAsync(name, bytes, ct).ConfigureAwait(false);
                return true;
            },
            ct
        );

    public Task SettleAsync(CancellationToken ct) =>
        TryAsync(
            async () =>
            {
                await inner.SettleAsync(ct).ConfigureAwait(false);
                return true;
            },
            ct
        );

    public Task<byte[]?> GetAsync(string name, CancellationToken ct) => TryAsync(() => inner.GetAsync(name, ct), ct);

    public async IAsyncEnumerable<StoredObject> ListAsync(string prefix, [EnumeratorCancellation] CancellationToken ct)
    {
        var all = await TryAsync(
                async () =>
                {
                    var found = new List<StoredObject>();
                    await foreach (var item in inner.ListAsync(prefix, ct).ConfigureAwait(false))
                        found.Add(item);
                    return found;
                },
                ct
            )
            .ConfigureAwait(false);
        foreach (var item in all)
            yield return item;
    }

    public Task DeleteAsync(string name, CancellationToken ct) =>
        TryAsync(
            async () =>
            {
                await inner.DeleteAsync(name, ct).ConfigureAwait(false);
                return true;
            },
            ct
        );

    public ValueTask DisposeAsync() => inner.DisposeAsync();

    private async Task<T> TryAsync<T>(Func<Task<T>> operation, CancellationToken ct)
    {
        for (var (wait, left) = (delay, retries); ; wait *= 2, left--)
        {
            try
            {
                return await operation().ConfigureAwait(false);
            }
            catch (DestinationException e) when (e.IsTransient && left > 0)
            {
                await Task.Delay(wait, time, ct).ConfigureAwait(false);
            }
        }
    }
}
