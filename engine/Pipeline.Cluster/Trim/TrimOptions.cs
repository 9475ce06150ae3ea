namespace Pipeline.Cluster;

/// <summary>How much of the log is kept.</summary>
internal sealed record TrimOptions
{
    /// <summary>
    /// How many members must have on their disks what the log gives up. With fewer live members nothing is trimmed.
    /// Default 2.
    /// </summary>
    public int MinCopies { get; init; } = 2;

    /// <summary>Records that are kept in any case, for nodes that are filled at this moment. Default 100,000.</summary>
    public long KeepRecords { get; init; } = 100_000;

    /// <summary>A trim gives up at least that many records. Default 10,000.</summary>
    public long Step { get; init; } = 10_000;

    /// <summary>
    /// A member that has said nothing for that long holds back no trim any more; it is filled anew when it is back.
    /// Default 7 days.
    /// </summary>
    public TimeSpan GiveUpAfter { get; init; } = TimeSpan.FromDays(7);

    /// <summary>
    /// A backup that has not finished for that long holds back no trim any more. A cluster that loses all its disks can
    /// then not be rebuilt from that backup and the log. Zero: backups hold back no trim. Default 2 days.
    /// </summary>
    public TimeSpan GiveUpBackupsAfter { get; init; } = TimeSpan.FromDays(2);

    /// <summary>Whether backups hold back no trim at all.</summary>
    public bool HasNoBackups => GiveUpBackupsAfter == TimeSpan.Zero;

    /// <summary>Whether a holder has been silent for too long to hold back a trim.</summary>
    public bool IsGivenUp(LogHolder holder, DateTimeOffset now) =>
        holder.Kind == LogHolderKind.Backup
            ? HasNoBackups || now - holder.Seen > GiveUpBackupsAfter
            : now - holder.Seen > GiveUpAfter;
}
