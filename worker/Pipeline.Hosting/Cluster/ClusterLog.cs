using Microsoft.Extensions.Logging;

namespace Pipeline.Hosting.Cluster;

/// <summary>Log messages of a node. Event ids 7100–7199.</summary>
internal static partial class ClusterLog
{
    [LoggerMessage(
        7100,
        LogLevel.Information,
        "{Node} is a node of the cluster {Cluster} over {Log}, from place {Place}"
    )]
    public static partial void Opened(ILogger logger, string node, string cluster, string log, long place);

    [LoggerMessage(7127, LogLevel.Warning, "{Node} cannot start yet: {Reason} The next try is in {Wait}")]
    public static partial void WaitsForLog(ILogger logger, string node, string reason, TimeSpan wait);

    [LoggerMessage(
        7140,
        LogLevel.Warning,
        "{Node} has ended the log {Log}: {Next} continues, and no node takes writes until then"
    )]
    public static partial void Ended(ILogger logger, string node, string log, string next);

    [LoggerMessage(
        7139,
        LogLevel.Information,
        "The log {Log} begins with the database of {Node}, at transaction {Transaction}"
    )]
    public static partial void Begun(ILogger logger, string node, string log, long transaction);

    [LoggerMessage(7101, LogLevel.Information, "{Node} leads from now on, in epoch {Epoch}")]
    public static partial void Leads(ILogger logger, string node, long epoch);

    [LoggerMessage(7102, LogLevel.Information, "{Node} follows {Leader} in epoch {Epoch}")]
    public static partial void Follows(ILogger logger, string node, string leader, long epoch);

    [LoggerMessage(7103, LogLevel.Error, "{Node}: {Problem}")]
    public static partial void Stopped(ILogger logger, string node, string problem);

    [LoggerMessage(7104, LogLevel.Warning, "{Node}: {Problem}")]
    public static partial void Troubled(ILogger logger, string node, string problem);

    [LoggerMessage(7105, LogLevel.Information, "{Node} knows the nodes {Nodes}")]
    public static partial void Nodes(ILogger logger, string node, string nodes);

    [LoggerMessage(7106, LogLevel.Debug, "{Node} cannot tell {Leader} its address yet: {Reason}")]
    public static partial void NotAnnounced(ILogger logger, string node, string leader, string reason);

    [LoggerMessage(7128, LogLevel.Debug, "{Node} could not record yet that it leads in epoch {Epoch}: {Reason}")]
    public static partial void NotNoted(ILogger logger, string node, long epoch, string reason);

    [LoggerMessage(7129, LogLevel.Debug, "{Node} does not know yet where the log ends: {Reason}")]
    public static partial void EndNotKnown(ILogger logger, string node, string reason);

    [LoggerMessage(7107, LogLevel.Information, "{Node} hands over to {Successor}")]
    public static partial void HandsOver(ILogger logger, string node, string successor);

    [LoggerMessage(7112, LogLevel.Information, "{Node} does not take over: {Reason}")]
    public static partial void NotHandedOver(ILogger logger, string node, string reason);

    [LoggerMessage(7113, LogLevel.Information, "{Node} must be filled from another node: {Reason}")]
    public static partial void NeedsRefill(ILogger logger, string node, string reason);

    [LoggerMessage(7114, LogLevel.Information, "{Node} is filled from {Source}, about {Mebibytes:N1} MiB")]
    public static partial void Filling(ILogger logger, string node, string source, double mebibytes);

    [LoggerMessage(7115, LogLevel.Information, "{Node} {Progress}")]
    public static partial void FillingOn(ILogger logger, string node, string progress);

    [LoggerMessage(
        7116,
        LogLevel.Information,
        "{Node} was filled from {Source} with {Mebibytes:N1} MiB in {Time}, and continues at place {Place} of the log"
    )]
    public static partial void Filled(
        ILogger logger,
        string node,
        string source,
        double mebibytes,
        TimeSpan time,
        long place
    );

    [LoggerMessage(7117, LogLevel.Warning, "{Node} was not filled: {Reason} The next try is in {Wait}")]
    public static partial void RefillFailed(ILogger logger, string node, string reason, TimeSpan wait);

    [LoggerMessage(
        7118,
        LogLevel.Information,
        "{Node} gives {Receiver} a copy of its stores, about {Mebibytes:N1} MiB"
    )]
    public static partial void Copying(ILogger logger, string node, string receiver, double mebibytes);

    [LoggerMessage(7119, LogLevel.Information, "{Node} gave {Receiver} a copy of its stores, {Mebibytes:N1} MiB")]
    public static partial void Copied(ILogger logger, string node, string receiver, double mebibytes);

    [LoggerMessage(7120, LogLevel.Warning, "the copy of {Node} for {Receiver} ended after {Mebibytes:N1} MiB")]
    public static partial void CopyFailed(
        ILogger logger,
        string node,
        string receiver,
        double mebibytes,
        Exception error
    );

    [LoggerMessage(
        7121,
        LogLevel.Information,
        "{Node} has trimmed the log: it begins at place {First}, {Count} records are gone"
    )]
    public static partial void Trimmed(ILogger logger, string node, long first, long count);

    [LoggerMessage(EventId = 7122, Message = "{Node} did not trim the log or report its place: {Reason}")]
    public static partial void NotTrimmed(ILogger logger, LogLevel level, string node, string reason);

    [LoggerMessage(
        7123,
        LogLevel.Warning,
        "{Node} no longer keeps the log for {Silent}, which has reported nothing for {Silence} and needs it from place {Place}. When it comes back, it is filled from another node. If it does not, run 'pipeline cluster remove'"
    )]
    public static partial void HoldGivenUp(ILogger logger, string node, string silent, TimeSpan silence, long place);

    [LoggerMessage(7124, LogLevel.Warning, "{Node} will be filled again. Its folder was set aside as {Folder}")]
    public static partial void SetAside(ILogger logger, string node, string folder);

    [LoggerMessage(
        7125,
        LogLevel.Warning,
        "only the folder {Folder} has {Count} documents and {Deleted} deletions. They were exported to {File}. Import the ones that you want, then delete the folder"
    )]
    public static partial void Exported(ILogger logger, long count, int deleted, string folder, string file);

    [LoggerMessage(
        7126,
        LogLevel.Error,
        "the changes that only the folder {Folder} has could not be exported; the next start tries again"
    )]
    public static partial void NotExported(ILogger logger, string folder, Exception error);

    [LoggerMessage(
        7131,
        LogLevel.Warning,
        "{Node} no longer keeps the log for the backup {Backup}. That backup has not finished at all its destinations for {Age}; it needs the log from place {Place}. A database restored from it cannot continue from the log. Run 'pipeline backup run {Backup}', or set cluster.log.trim.backupsFor to more than the time between two runs"
    )]
    public static partial void BackupGivenUp(ILogger logger, string node, string backup, TimeSpan age, long place);

    [LoggerMessage(
        7132,
        LogLevel.Warning,
        "{Node} could not record the place of the backup {Backup} in the log: {Reason} The log is still kept for the previous run"
    )]
    public static partial void BackupHoldsNothing(ILogger logger, string node, string backup, string reason);

    [LoggerMessage(
        7133,
        LogLevel.Information,
        "{Node} was restored from a backup, and continues at place {Place} of the log"
    )]
    public static partial void Restored(ILogger logger, string node, long place);

    [LoggerMessage(7134, LogLevel.Information, "{Node} asks {Helper} to make the backup {Backup}")]
    public static partial void HelperMakes(ILogger logger, string node, string backup, string helper);

    [LoggerMessage(7135, LogLevel.Information, "{Node} makes the backup {Backup} for the leader {Leader}")]
    public static partial void MakesForLeader(ILogger logger, string node, string backup, string leader);

    [LoggerMessage(7136, LogLevel.Warning, "{Node} did not get the backup {Backup} from {Helper}: {Reason}")]
    public static partial void HelperFailed(ILogger logger, string node, string backup, string helper, string reason);

    [LoggerMessage(
        7137,
        LogLevel.Warning,
        "{Node} leads and makes the backup {Backup} itself, which node '{Wanted}' should make: {Reason}"
    )]
    public static partial void MakesItself(ILogger logger, string node, string backup, string wanted, string reason);

    [LoggerMessage(
        7138,
        LogLevel.Information,
        "{Node}: the log uses format {Format} from here on. A node with an older program stops there"
    )]
    public static partial void FormatUsed(ILogger logger, string node, int format);

    [LoggerMessage(
        7143,
        LogLevel.Warning,
        "{Node} cannot be reached at cluster.url {Url}: {Reason}. Clients and the other nodes connect there: correct cluster.url or server.url, or open that port"
    )]
    public static partial void NotAtAddress(ILogger logger, string node, string url, string reason);

    [LoggerMessage(
        7144,
        LogLevel.Warning,
        "cluster.url of {Node} is {Url}, where the node {Other} answers. Clients and the other nodes connect there: set cluster.url to the address of {Node}"
    )]
    public static partial void AddressOfOther(ILogger logger, string node, string url, string other);

    [LoggerMessage(
        7145,
        LogLevel.Error,
        "another process has the name {Node} (cluster.node), and answers at {Url}. Stop one of the two, or give it another name"
    )]
    public static partial void NameTaken(ILogger logger, string node, string url);

    [LoggerMessage(
        7148,
        LogLevel.Error,
        "two processes have the name {Name} (cluster.node): at {First} and at {Second}. Stop one of the two, or give it another name"
    )]
    public static partial void NameShared(ILogger logger, string name, Uri first, Uri second);

    [LoggerMessage(
        7149,
        LogLevel.Information,
        "no other process has the name {Node} any more; the node takes part in elections"
    )]
    public static partial void NameFree(ILogger logger, string node);

    [LoggerMessage(
        7146,
        LogLevel.Error,
        "{Node} has the database '{Database}', but the leader {Leader} has '{Other}'. Clients find only one of them: give database.name the same value at all nodes"
    )]
    public static partial void OtherDatabase(ILogger logger, string node, string database, string leader, string other);

    [LoggerMessage(7147, LogLevel.Debug, "{Node} did not get the status of the cluster from {Leader}: {Reason}")]
    public static partial void StatusNotKnown(ILogger logger, string node, string leader, string reason);

    [LoggerMessage(
        7150,
        LogLevel.Warning,
        "{Node} stops without the log, which has not confirmed the last writes. Whether it has them is unknown; their callers were told so"
    )]
    public static partial void EndedWithoutLog(ILogger logger, string node);

    [LoggerMessage(7130, LogLevel.Warning, "{Node} did not get page {Page} from {Source}: {Reason}")]
    public static partial void PageNotFetched(ILogger logger, string node, long page, string source, string reason);

    [LoggerMessage(7108, LogLevel.Information, "tasks, subscriptions and backups run here from now on")]
    public static partial void TermBegan(ILogger logger);

    [LoggerMessage(7109, LogLevel.Information, "tasks, subscriptions and backups have stopped here")]
    public static partial void TermEnded(ILogger logger);

    [LoggerMessage(7110, LogLevel.Error, "this node leads, but a part of its work cannot start; it tries again")]
    public static partial void TermFailed(ILogger logger, Exception error);

    [LoggerMessage(7111, LogLevel.Warning, "a part of the leader's work did not stop cleanly")]
    public static partial void EndFailed(ILogger logger, Exception error);
}
