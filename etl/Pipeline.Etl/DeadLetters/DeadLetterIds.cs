using System.Globalization;

namespace Pipeline.Etl.DeadLetters;

/// <summary>
/// The ids of dead letters: <c>deadletters/TASK/POSITION</c> for a change, <c>deadletters/TASK/POSITION/ORDINAL</c> for
/// one of its messages.
/// </summary>
internal static class DeadLetterIds
{
    /// <summary>The prefix of all ids.</summary>
    public const string Prefix = "deadletters/";

    /// <summary>The prefix of the ids of a task's letters.</summary>
    public static string PrefixOf(string task) => $"{Prefix}{task}/";

    /// <summary>The id of the letter of a whole change.</summary>
    public static string Of(string task, long position) =>
        string.Create(CultureInfo.InvariantCulture, $"{Prefix}{task}/{position}");

    /// <summary>The id of the letter of one message of a change, counted from 0.</summary>
    public static string Of(string task, long position, int ordinal) =>
        string.Create(CultureInfo.InvariantCulture, $"{Prefix}{task}/{position}/{ordinal}");
}
