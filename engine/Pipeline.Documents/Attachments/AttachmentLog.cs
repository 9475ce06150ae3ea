using Microsoft.Extensions.Logging;

namespace Pipeline.Documents;

internal static partial class AttachmentLog
{
    [LoggerMessage(
        1057,
        LogLevel.Warning,
        "{Database}: the unused content of upload {Number} was not removed; the next opening removes it"
    )]
    public static partial void NotDropped(ILogger logger, string database, long number, Exception cause);
}
