using System.ComponentModel;
using System.Text.RegularExpressions;

namespace Pipeline.Database.Scripts.Runtime;

/// <summary>What is called in a script for <see cref="Match.NextMatch"/>.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ScriptMatches
{
    /// <summary>The next match, within the run's limit of time.</summary>
    public static Match NextInTime(this Match match)
    {
        ArgumentNullException.ThrowIfNull(match);
        _ = ScriptGuard.TimeForCall();
        try
        {
            return match.NextMatch();
        }
        catch (RegexMatchTimeoutException)
        {
            _ = ScriptGuard.TimeForCall();
            throw;
        }
    }
}
