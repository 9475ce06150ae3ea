using System.ComponentModel;
using System.Text.RegularExpressions;

namespace Pipeline.Scripting.Runtime;

/// <summary>Replaces <see cref="Match.NextMatch"/> in scripts.</summary>
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
