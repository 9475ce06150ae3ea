namespace Pipeline.Cluster;

/// <summary>How much of the log is kept.</summary>
internal sealed record TrimOptions
{
    /// <summary>
    /// How many members must have records on their disks before the log drops them. With fewer live members, nothing is
    /// trimmed. Default 2.
    /// </summary>
    public int MinCopies { get; init; } = 2;

    /// <summary>
    /// The number of records that are always kept, for nodes that are being refilled. Default 100,000.
    /// </summary>
    public long KeepRecords { get; init; } = 100_000;

    /// <summary>The minimum number of records that a trim drops. Default 10,000.</summary>
    public long Step { get; init; } = 10_000;

    /// <summary>
    /// How long a silent member still holds back the trim. After that it must be refilled when it comes back. Default 7
    /// days.
    /// </summary>
    public TimeSpan GiveUpAfter { get; init; } = TimeSpan.FromDays(7);

    /// <summary>
    /// How long a backup holds back the trim after its last finished run. After that, a cluster that loses all its
    /// disks can no longer be rebuilt from that backup and the log. Zero: backups do not hold back the trim. Default 2
    /// days.
    /// </summary>
    public TimeSpan GiveUpBackupsAfter { get; init; } = TimeSpan.FromDays(2);

    /// <summary>Whether backups do not hold back the trim at all.</summary>
    public bool HasNoBackups => GiveUpBackupsAfter == TimeSpan.Zero;

    /// <summary>Whether a holder has been silent for too long to hold back the trim.</summary>
    public bool IsGivenUp(LogHolder holder, DateTimeOffset now) =>
        holder.Kind == LogHolderKind.Backup
            ? HasNoBackups || now - holder.Seen > GiveUpBackupsAfter
            : now - holder.Seen > GiveUpAfter;
}
