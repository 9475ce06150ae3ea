using System.Globalization;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Errors;

/// <summary>A request is invalid.</summary>
internal sealed class BadRequestException(string message) : Exception(message);

/// <summary>A client lacks the permission for its request.</summary>
internal sealed class AccessDeniedException(string message) : Exception(message + ".");

/// <summary>A request uses a feature that this server does not have.</summary>
internal sealed class UnsupportedException(string feature, string remedy)
    : Exception($"{feature} is not supported by this server: {remedy}.");

/// <summary>A cluster-wide session saved data that others had changed in the meantime; nothing was done.</summary>
internal sealed class ClusterTransactionException(string message, Exception? cause = null)
    : Exception($"The cluster-wide transaction was not done: {message}", cause);

/// <summary>A batch is stored, but an index that its client waits for did not include it in time.</summary>
internal sealed class IndexWaitException(string index, string time)
    : TimeoutException(
        $"The batch is stored, but the server could not verify that the index '{index}' shows it: {time} have passed."
    );

/// <summary>A client asks for more at a time than it may.</summary>
internal sealed class TooManyQueriesException(string message) : Exception(message)
{
    /// <summary>Makes the error for queries that wait.</summary>
    public static TooManyQueriesException Waiting(int most) =>
        new(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{most} queries of this client wait already ({nameof(ServerLimits)}.{nameof(ServerLimits.MaxWaitingQueries)}). Send fewer at a time, and try again later."
            )
        );

    /// <summary>Makes the error for streams.</summary>
    public static TooManyQueriesException Streams(int most) =>
        new(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{most} streams of this client are open already ({nameof(ServerLimits)}.{nameof(ServerLimits.MaxClientStreams)}). Read or close some, and try again later."
            )
        );
}
