using System.Globalization;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Errors;

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
