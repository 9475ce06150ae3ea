using Microsoft.Extensions.Logging;

namespace Pipeline.KafkaLog;

/// <summary>Log messages of the log. Event ids 7200–7219.</summary>
internal static partial class KafkaLogMessages
{
    [LoggerMessage(7200, LogLevel.Information, "{Log}: the topic was created with {Copies} copies")]
    public static partial void Created(ILogger logger, string log, int copies);

    [LoggerMessage(7201, LogLevel.Warning, "{Log}: the topic has fewer copies than a cluster needs: {Faults}")]
    public static partial void FewCopies(ILogger logger, string log, string faults);

    [LoggerMessage(7202, LogLevel.Debug, "{Log}: the client of Kafka says: {Message}")]
    public static partial void Client(ILogger logger, string log, string message);

    [LoggerMessage(7203, LogLevel.Warning, "{Log}: the producer failed and was made anew: {Reason}")]
    public static partial void ProducerRenewed(ILogger logger, string log, string reason);
}
