namespace Pipeline.Scripting;

/// <summary>Where a transform's messages go.</summary>
public interface IScriptOutput
{
    /// <summary>
    /// Takes one message; called in the order of the script's <c>send</c> calls, on the thread that runs the script.
    /// </summary>
    /// <param name="message">Its spans are valid during the call only.</param>
    void Send(in ScriptMessage message);
}
