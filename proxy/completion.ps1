# PowerShell completion for watchglass. Load it with:
#   watchglass completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName 'watchglass', 'kubectl-watchglass' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
    $command = $words[0]
    $words = @($words | Select-Object -Skip 1)
    if ("$wordToComplete" -eq '') {
        # PowerShell before 7.3 drops an empty argument.
        $words += if ($PSVersionTable.PSVersion -lt [version]'7.3') { '""' } else { '' }
    }
    $flag = if ("$wordToComplete" -match '^-[^=]*=') { $Matches[0] } else { '' }
    & $command __complete @words 2>$null | Where-Object { $_ -notmatch '^:\d+$' } | ForEach-Object {
        $value, $description = $_ -split "`t", 2
        if (-not $description) { $description = $value }
        [System.Management.Automation.CompletionResult]::new("$flag$value", $value, 'ParameterValue', $description)
    }
}
