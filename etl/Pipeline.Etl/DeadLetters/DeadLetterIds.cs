using System.Globalization;

namespace Pipeline.Etl.DeadLetters;

/// <summary>The ids of dead letters: <c>deadletters/TASK/POSITION</c>, with which of the change's messages it is where it is one of them.</summary>
internal static class DeadLetterIds
{
    /// <summary>What all begin with.</summary>
    public const string Prefix = "deadletters/";

    /// <summary>What those of a task begin with.</summary>
    public static string PrefixOf(string task) => $"{Prefix}{task}/";

    /// <summary>The id of the letter of a whole change.</summary>
    public static string Of(string task, long position) => string.Create(CultureInfo.InvariantCulture, $"{Prefix}{task}/{position}");

    /// <summary>The id of the letter of one message of a change, counted from 0.</summary>
    public static string Of(string task, long position, int ordinal) => string.Create(CultureInfo.InvariantCulture, $"{Prefix}{task}/{position}/{ordinal}");
}
