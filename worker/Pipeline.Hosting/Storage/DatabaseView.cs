using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Storage;

namespace Pipeline.Hosting;

/// <summary>The contents of a database, as <c>/stats</c> shows them and <c>pipeline stats</c> prints them.</summary>
internal sealed record DatabaseView(
    string Name,
    string Path,
    string Id,
    long Documents,
    long Tombstones,
    long LastPosition,
    long SizeOnDisk,
    IReadOnlyList<CollectionView> Collections,
    IReadOnlyList<ReaderView> Readers,
    long Revisions = 0
)
{
    /// <summary>The consumers of changes, with the backlog of each and the data retained for it.</summary>
    public IReadOnlyList<ConsumerStatus> Consumers { get; init; } = [];

    /// <summary>The data file's free space.</summary>
    public SpaceView? Space { get; init; }

    /// <summary>Reads the current figures.</summary>
    /// <param name="database">The database.</param>
    /// <param name="path">Its folder.</param>
    public static DatabaseView Of(DocumentDatabase database, string path)
    {
        var readers = database.Storage.GetReaders();
        using var snapshot = database.OpenSnapshot("stats");
        var figures = snapshot.GetStatistics();
        return new DatabaseView(
            database.Name,
            path,
            database.Id.ToString(),
            figures.Documents,
            figures.Tombstones,
            figures.LastPosition,
            figures.SizeOnDisk,
            [.. figures.Collections.Select(c => new CollectionView(c.Name, c.Documents, c.Tombstones, c.Revisions))],
            [.. readers.Select(ReaderView.Of)],
            figures.Revisions
        )
        {
            Consumers = database.Consumers.GetStatus(),
            Space = SpaceView.Of(database.Storage),
        };
    }
}

/// <summary>The free space of a data file.</summary>
/// <param name="FileBytes">Bytes of the file.</param>
/// <param name="DeviceBytes">Bytes that it uses on the device.</param>
/// <param name="FreeBytes">Bytes of free pages.</param>
/// <param name="PunchedBytes">Bytes of <paramref name="FreeBytes"/> that were returned to the file system.</param>
/// <param name="LeftBytes">Bytes of <paramref name="FreeBytes"/> that still use space on the device.</param>
/// <param name="CanPunch">Whether the file system can punch holes, as far as tried.</param>
internal sealed record SpaceView(
    long FileBytes,
    long DeviceBytes,
    long FreeBytes,
    long PunchedBytes,
    long LeftBytes,
    bool CanPunch
)
{
    public static SpaceView Of(StorageEnvironment storage)
    {
        var figures = storage.GetStatistics();
        return new SpaceView(
            figures.DataFileBytes,
            figures.DataFileAllocatedBytes,
            figures.FreeBytes,
            figures.HoleBytes,
            figures.FreeBytes - figures.HoleBytes,
            figures.CanPunchHoles
        );
    }
}

/// <summary>A collection.</summary>
internal sealed record CollectionView(string Name, long Documents, long Tombstones, long Revisions = 0);
