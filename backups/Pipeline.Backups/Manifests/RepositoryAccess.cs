using Pipeline.Backups.Destinations;
using Pipeline.Storage;

namespace Pipeline.Backups.Manifests;

/// <summary>Opens the repositories of a definition.</summary>
public static class RepositoryAccess
{
    /// <summary>
    /// Opens a repository per destination, in order. One that cannot be opened returns its error; a missing one returns
    /// neither a repository nor an error.
    /// </summary>
    /// <param name="definition">The definition.</param>
    /// <param name="options">Clock and retries; null for the defaults.</param>
    /// <param name="create">Whether to create missing repositories.</param>
    /// <param name="ct">Cancels it.</param>
    public static async Task<
        IReadOnlyList<(string Destination, BackupRepository? Repository, Exception? Error)>
    > OpenAsync(BackupDefinition definition, BackupRunnerOptions? options, bool create, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(definition);
        options ??= new BackupRunnerOptions();
        var opened = new List<(string, BackupRepository?, Exception?)>();
        foreach (var place in definition.Destinations)
        {
            var raw = place.Create(definition.Name, options.Time);
            var destination = new RetryingDestination(
                options.Wrap?.Invoke(raw) ?? raw,
                options.Retries,
                options.RetryDelay,
                options.Time
            );
            try
            {
                opened.Add(
                    (
                        destination.Description,
                        await BackupRepository
                            .OpenAsync(destination, definition.Compression, definition.Encryption, create, ct)
                            .ConfigureAwait(false),
                        null
                    )
                );
            }
            catch (Exception e) when (e is BackupException or StorageException)
            {
                await destination.DisposeAsync().ConfigureAwait(false);
                opened.Add((destination.Description, null, e));
            }
        }
        return opened;
    }
}
