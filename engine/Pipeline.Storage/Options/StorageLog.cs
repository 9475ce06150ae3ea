using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Pipeline.Storage;

internal static partial class StorageLog
{
    /// <summary>The logger of a store with these options.</summary>
    public static ILogger Of(StorageOptions options) =>
        (options.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger("Pipeline.Storage");

    [LoggerMessage(1, LogLevel.Information, "{Path}: created")]
    public static partial void Created(ILogger logger, string path);

    [LoggerMessage(
        2,
        LogLevel.Information,
        "{Path}: opened at transaction {Transaction}; {Bytes} journal bytes replayed in {Milliseconds} ms, {Pages} pages written"
    )]
    public static partial void Opened(
        ILogger logger,
        string path,
        long transaction,
        long bytes,
        long milliseconds,
        long pages
    );

    [LoggerMessage(3, LogLevel.Critical, "{Path}: all further writes are refused")]
    public static partial void Failed(ILogger logger, string path, Exception cause);

    [LoggerMessage(
        4,
        LogLevel.Warning,
        "{Path}: a journal file could not be prepared or deleted in advance; this is retried when the file is needed"
    )]
    public static partial void PrepareFailed(ILogger logger, string path, Exception cause);

    [LoggerMessage(5, LogLevel.Warning, "{Path}: meta page {Page} is not valid; the other one is used")]
    public static partial void MetaInvalid(ILogger logger, string path, long page);

    [LoggerMessage(
        6,
        LogLevel.Debug,
        "{Path}: checkpoint at transaction {Transaction}, {Pages} pages in {Milliseconds} ms"
    )]
    public static partial void Flushed(ILogger logger, string path, long transaction, int pages, long milliseconds);

    [LoggerMessage(7, LogLevel.Error, "{Path}: a handler of committed transactions failed")]
    public static partial void HandlerFailed(ILogger logger, string path, Exception cause);

    [LoggerMessage(
        20,
        LogLevel.Warning,
        "{Path}: no disk space for copies of the pages that a flush overwrites; the flush is retried"
    )]
    public static partial void FlushWaits(ILogger logger, string path, Exception cause);

    [LoggerMessage(21, LogLevel.Information, "{Path}: pages are being encrypted under data key {Generation}")]
    public static partial void RotationBegun(ILogger logger, string path, int generation);

    [LoggerMessage(
        22,
        LogLevel.Information,
        "{Path}: all pages are encrypted under data key {Generation}; the former key is destroyed"
    )]
    public static partial void RotationEnded(ILogger logger, string path, int generation);

    [LoggerMessage(23, LogLevel.Error, "{Path}: the change of the data key stopped; the next opening resumes it")]
    public static partial void RotationFailed(ILogger logger, string path, Exception cause);

    [LoggerMessage(24, LogLevel.Information, "{Path}: the data keys are wrapped under a new key")]
    public static partial void Rewrapped(ILogger logger, string path);

    [LoggerMessage(9, LogLevel.Warning, "{Path}: the journal is not compressed: {Problem}")]
    public static partial void JournalNotCompressed(ILogger logger, string path, string problem);

    [LoggerMessage(
        8,
        LogLevel.Warning,
        "{Path}: closed while {Readers} read transactions were open; memory and lock are released when they end"
    )]
    public static partial void ClosedWithReaders(ILogger logger, string path, int readers);

    [LoggerMessage(
        31,
        LogLevel.Warning,
        "{Path}: free space could not be returned to the file system; later pages will use it"
    )]
    public static partial void SpaceNotReleased(ILogger logger, string path, Exception cause);

    [LoggerMessage(32, LogLevel.Information, "{Path}: compaction of {Pages} pages begins, {Free} of them free")]
    public static partial void CompactionBegun(ILogger logger, string path, long pages, long free);

    [LoggerMessage(33, LogLevel.Information, "{Path}: compaction ended: {Report}")]
    public static partial void CompactionEnded(ILogger logger, string path, object report);

    [LoggerMessage(
        40,
        LogLevel.Information,
        "{Path}: scrubbed, {Pages} pages in {Milliseconds} ms, {Damaged} of them damaged"
    )]
    public static partial void Scrubbed(ILogger logger, string path, long pages, long milliseconds, long damaged);

    [LoggerMessage(41, LogLevel.Error, "{Path}: a scrub has found damage: {Damage}")]
    public static partial void DamageFound(ILogger logger, string path, object damage);

    [LoggerMessage(42, LogLevel.Warning, "{Path}: a scrub did not finish; the next one begins after the interval")]
    public static partial void ScrubFailed(ILogger logger, string path, Exception cause);

    [LoggerMessage(43, LogLevel.Warning, "{Path}: page {Page} was damaged and is repaired from {Source}")]
    public static partial void PageRepaired(ILogger logger, string path, long page, string source);

    [LoggerMessage(44, LogLevel.Warning, "{Path}: page {Page} is damaged and could not be repaired: {Problem}")]
    public static partial void PageNotRepaired(ILogger logger, string path, long page, string problem);

    [LoggerMessage(
        50,
        LogLevel.Warning,
        "{Path}: the journal is no longer kept for '{Name}', because it exceeded {Limit} bytes (database.keptJournalBytes). The next backup will be full; a copy for another node begins anew"
    )]
    public static partial void HoldDropped(ILogger logger, string path, string name, long limit);

    [LoggerMessage(51, LogLevel.Error, "{Path}: writes are refused because the disk is full: {Reason}")]
    public static partial void Refused(ILogger logger, string path, string reason);

    [LoggerMessage(
        30,
        LogLevel.Warning,
        "{Path}: the read transaction of '{Owner}' over transaction {Transaction} exceeded the limit {Limit} and cannot read any further"
    )]
    public static partial void ReaderExpired(ILogger logger, string path, string owner, long transaction, string limit);
}
